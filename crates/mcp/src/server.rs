//! The handler of MCP requests: what each of them asks for is found here and answered elsewhere (`calling` for tools).

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use docent_engine::{Access, Engine};
use docent_health::Health;
use docent_library::Library;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult,
    CompletionInfo, CustomRequest, CustomResult, DiscoverResult, ErrorCode, GetPromptRequestParams,
    GetPromptResponse, Implementation, InitializeRequestParams, InitializeResult, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, Reference, ServerCapabilities, ServerConfig,
    SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};

use crate::caller::Caller;
use crate::calling::{caller, caller_of};
use crate::facets::Facets;
use crate::first_pass::COLD_PATIENCE;
use crate::instructions::{self, Served};
use crate::metrics::Metrics;
use crate::offer::Offer;
use crate::prompts::{self, Template};
use crate::resources;
use crate::shared::Shared;
use crate::table::Choice;

/// How long the list of tools waits for it: clients are started by the dozen, and are told when facets change it.
const LIST_PATIENCE: Duration = Duration::from_secs(1);
/// How long a client may keep the list of tools; it is told when the list changes.
const TOOLS_TTL_MS: u64 = 300_000;

/// What a server offers.
#[derive(Clone, Default)]
pub struct ServerOptions {
    /// Which tools.
    pub choice: Choice,
    /// Names of the collections that are served; none means all. Libraries always are.
    pub collections: Vec<String>,
    /// What is served and nothing else, libraries included; `None` for all that the index has. Callers may be limited further.
    pub only: Option<Access>,
    /// Prompts of the user.
    pub prompts: Vec<Template>,
    /// Takes documents in. Without it, as over an index that can only be read, no tool that writes is offered.
    pub library: Option<Arc<Library>>,
    /// Knows how documents agree with the code. Without it none of the tools is offered that ask for it.
    pub health: Option<Arc<Health>>,
}

/// docent as an MCP server. Clones are the same server.
#[derive(Clone)]
pub struct DocsServer {
    pub(crate) shared: Arc<Shared>,
}

impl DocsServer {
    /// A server over `engine`; the error says which tool or toolset does not exist. Must be called inside a tokio runtime.
    pub fn new(engine: Arc<Engine>, options: ServerOptions) -> Result<Self, String> {
        let shared = Shared::new(engine, options)?;
        tokio::spawn(shared.watch());
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Counters of tool calls.
    pub fn metrics(&self) -> &Metrics {
        &self.shared.metrics
    }

    /// What the authors say is part of the greeting, and may have changed. A greeting does not wait for the first pass.
    async fn look_before_greeting(&self) {
        if self.shared.whole.engine.first_pass().is_none() {
            let _ = self.work(|shared| shared.whole.engine.look_for_changes()).await;
        }
    }

    /// What this caller is told about the server as a whole. Without an index there is nothing to say of it; each call tells what
    /// is wrong.
    async fn instructions(&self, caller: Caller) -> Result<String, ErrorData> {
        self.look_before_greeting().await;
        self.work(move |shared| {
            let view = shared.view(&caller);
            let scope = view.scope().unwrap_or_default();
            let about = view.engine.about(&scope).unwrap_or_default();
            instructions::write(
                view.tools(),
                &Served::of(&view.engine, &scope),
                about.instructions.as_deref(),
            )
        })
        .await
    }
}

impl ServerHandler for DocsServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_resources_subscribe()
            .enable_prompts()
            .enable_completions()
            .build();
        let info = Implementation::new("docent", env!("CARGO_PKG_VERSION"))
            .with_title("docent")
            .with_description("Searches and reads this project's documentation.");
        // Nobody says here who asks, so nothing is said of what is indexed.
        ServerConfig::new(capabilities).with_server_info(info)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        let said = self.instructions(caller(&context)).await?;
        Ok(self.negotiate_initialize(&request)?.with_instructions(said))
    }

    async fn discover(&self, context: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let said = self.instructions(caller(&context)).await?;
        let versions = self.supported_protocol_versions().into_owned();
        Ok(DiscoverResult::from_server_info(versions, self.get_info().with_instructions(said)))
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        refuse_cursor(request)?;
        let caller = caller(&context);
        self.wait_for_first_pass(&context, LIST_PATIENCE).await;
        let ttl = if self.shared.whole.engine.first_pass().is_some() { 0 } else { TOOLS_TTL_MS };
        let tools = self
            .work(move |shared| {
                // An index that cannot be read must not hide the tools: each call says what is wrong.
                let view = shared.view(&caller);
                let offer = view.fresh_offer();
                let offer = offer.unwrap_or_else(|_| Arc::new(Offer::new(view.tools(), Facets::default())));
                let allowed = offer.tools.iter().filter(|(scope, _)| caller.may(*scope));
                allowed.map(|(_, tool)| tool.clone()).collect::<Vec<_>>()
            })
            .await?;
        Ok(ListToolsResult::with_all_items(tools).with_ttl_ms(ttl).with_cache_scope(CacheScope::Private))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.shared.whole.known_offer().tool(name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        Ok(self.call_named(request, context).await?.into())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let caller = caller(&context);
        self.wait_for_first_pass(&context, COLD_PATIENCE).await;
        let cursor = request.and_then(|request| request.cursor);
        self.work(move |shared| {
            let view = shared.view(&caller);
            let scope = view.scope().map_err(resources::internal)?;
            resources::list(&view.engine, &scope, &caller.name, cursor.as_deref())
        })
        .await?
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        refuse_cursor(request)?;
        Ok(resources::templates())
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let caller = caller(&context);
        self.wait_for_first_pass(&context, COLD_PATIENCE).await;
        let read = self.work(move |shared| {
            let view = shared.view(&caller);
            let scope = view.scope().map_err(resources::internal)?;
            resources::read(&view.engine, &scope, &request.uri)
        });
        let read = read.await??;
        Ok(read.into())
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        refuse_cursor(request)?;
        let prompts =
            ListPromptsResult::with_all_items(prompts::list(&self.shared.tools, &self.shared.prompts));
        Ok(prompts.with_ttl_ms(TOOLS_TTL_MS).with_cache_scope(CacheScope::Private))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        Ok(prompts::get(&self.shared.tools, &self.shared.prompts, &request.name, request.arguments)?.into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let caller = caller(&context);
        let part = match &request.r#ref {
            Reference::Resource(template) if template.uri.starts_with("docent://") => {
                request.argument.name.clone()
            }
            Reference::Prompt(prompt) if prompt.name == "whats_drifted" => request.argument.name.clone(),
            _ => return Ok(CompleteResult::default()),
        };
        let typed = request.argument.value;
        let arguments = request.context.and_then(|context| context.arguments).unwrap_or_default();
        let known = move |name: &str| arguments.get(name).cloned();
        let completed = self
            .work(move |shared| {
                let view = shared.view(&caller);
                resources::complete(&view.engine, &view.scope()?, &part, &typed, known)
            })
            .await?;
        // Nothing to offer for a page that is not there: a completion is no place for errors.
        let (values, total) = completed.unwrap_or_default();
        let more = values.len() < total;
        let total = u32::try_from(total).ok();
        let info = CompletionInfo::with_pagination(values, total, more)
            .map_err(|error| ErrorData::internal_error(error, None))?;
        Ok(CompleteResult::new(info))
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method: String = docent_text::visible(&request.method).chars().take(100).collect();
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("Method not found: {method}"), None))
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.shared.notices.add(context.peer, caller_of(&context.extensions).access);
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.shared.notices.subscribe(&context.peer, caller(&context).access, &request.uri, true)
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.shared.notices.subscribe(&context.peer, caller(&context).access, &request.uri, false)
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.supported_by(&self.get_info().capabilities))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.shared.notices.listen(context).await;
        Ok(())
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [rmcp::model::ProtocolVersion]> {
        Cow::Borrowed(rmcp::model::ProtocolVersion::KNOWN_VERSIONS)
    }
}

/// Lists that come in one piece never hand out a cursor, so one that is given is not ours.
fn refuse_cursor(request: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.and_then(|request| request.cursor) {
        None => Ok(()),
        Some(_) => {
            Err(ErrorData::invalid_params("the cursor is not one of ours; list again without a cursor", None))
        }
    }
}
