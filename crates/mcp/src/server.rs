//! The handler of MCP requests: finds the tool, the resource or the prompt, and lets the engine answer off the async threads.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use docent_engine::{Engine, EngineError, FirstPass};
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams,
    CompleteResult, CompletionInfo, ContentBlock, CustomRequest, CustomResult, DiscoverResult, ErrorCode,
    GetPromptRequestParams, GetPromptResponse, Implementation, InitializeRequestParams, InitializeResult,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ProgressNotificationParam, ReadResourceRequestParams, ReadResourceResponse,
    Reference, ServerCapabilities, ServerConfig, SubscribeRequestParams, SubscriptionFilter, Tool,
    UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;
use tokio::sync::Semaphore;

use crate::args::Args;
use crate::call::{Call, Failure};
use crate::caller::Caller;
use crate::facets::Facets;
use crate::instructions;
use crate::metrics::Metrics;
use crate::notices::Notices;
use crate::offer::Offer;
use crate::prompts::{self, Template};
use crate::resources;
use crate::table::{Choice, ToolSpec};

/// Calls that are worked on at once; more are told to come back.
const MAX_CALLS: usize = 64;
/// How long a call waits for the first look at all files when nothing was indexed before…
const COLD_PATIENCE: Duration = Duration::from_secs(30);
/// … and when something was.
const WARM_PATIENCE: Duration = Duration::from_secs(2);
/// How long the list of tools waits for it: clients are started by the dozen, and are told when facets change it.
const LIST_PATIENCE: Duration = Duration::from_secs(1);
/// How often a waiting caller hears how far the work is.
const PROGRESS_EVERY: Duration = Duration::from_millis(250);
/// How long a client may keep the list of tools; it is told when the list changes.
const TOOLS_TTL_MS: u64 = 300_000;

/// What a server offers.
#[derive(Debug, Clone, Default)]
pub struct ServerOptions {
    /// Which tools.
    pub choice: Choice,
    /// Names of the collections that are served; none means all.
    pub collections: Vec<String>,
    /// Prompts of the user.
    pub prompts: Vec<Template>,
}

/// docent as an MCP server. Clones are the same server.
#[derive(Clone)]
pub struct DocsServer {
    shared: Arc<Shared>,
}

struct Shared {
    engine: Arc<Engine>,
    scope: Arc<[String]>,
    tools: Vec<&'static ToolSpec>,
    prompts: Vec<Template>,
    metrics: Metrics,
    calls: Semaphore,
    /// One place for each core: work that only computes is done sooner in turn than all at once.
    cores: Semaphore,
    offer: Mutex<Arc<Offer>>,
    notices: Arc<Notices>,
}

impl DocsServer {
    /// A server over `engine`; the error says which tool or toolset does not exist. Must be called inside a tokio runtime.
    pub fn new(engine: Arc<Engine>, options: ServerOptions) -> Result<Self, String> {
        let shared = Shared {
            scope: options.collections.into(),
            tools: options.choice.pick()?,
            prompts: options.prompts,
            metrics: Metrics::default(),
            calls: Semaphore::new(MAX_CALLS),
            cores: Semaphore::new(std::thread::available_parallelism().map_or(2, usize::from) + 1),
            offer: Mutex::default(),
            notices: Arc::new(Notices::new()),
            engine,
        };
        tokio::spawn(
            Arc::clone(&shared.notices).watch(Arc::clone(&shared.engine), Arc::clone(&shared.scope)),
        );
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Counters of tool calls.
    pub fn metrics(&self) -> &Metrics {
        &self.shared.metrics
    }

    /// Runs `work` off the async threads.
    async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Shared) -> T + Send + 'static,
    ) -> Result<T, ErrorData> {
        let shared = Arc::clone(&self.shared);
        let _place = self.shared.cores.acquire().await;
        let done = tokio::task::spawn_blocking(move || work(&shared)).await;
        done.map_err(|_| {
            ErrorData::internal_error("the server failed to answer; this is a bug in docent", None)
        })
    }

    /// What the authors say is part of the greeting, and may have changed. A greeting does not wait for the first pass.
    async fn look_before_greeting(&self) {
        if self.shared.engine.first_pass().is_none() {
            let _ = self.work(|shared| shared.engine.look_for_changes()).await;
        }
    }

    async fn call(
        &self,
        tool: &'static ToolSpec,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<Result<Value, Failure>, ErrorData> {
        let caller = caller(&context);
        if !caller.may(tool.effect.scope()) {
            let scope = tool.effect.scope().name();
            return Ok(Err(Failure::told(format!(
                "This token lacks the scope {scope}, which {} needs.",
                tool.name
            ))));
        }
        let Ok(_slot) = self.shared.calls.try_acquire() else {
            return Ok(Err(Failure::told("The server is busy with other calls. Try again in a moment.")));
        };
        self.wait_for_first_pass(&context, COLD_PATIENCE).await;
        self.work(move |shared| {
            let mut offer = shared.offer()?;
            let args = Args::new(request.arguments);
            let check = |offer: &Offer| {
                // Facets beyond those in the schema can be given all the same.
                let is_facet = |name: &str| tool.name == "search_docs" && offer.facets.has_key(name);
                offer.schema(tool.name).map_or(Ok(()), |schema| args.check_known(schema, is_facet))
            };
            if check(&offer).is_err() {
                // It may be a facet of a file that was written a moment ago.
                offer = shared.fresh_offer()?;
                check(&offer)?;
            }
            let facets = &offer.facets;
            let call = Call { tool: tool.name, engine: &shared.engine, caller: &caller, args, facets };
            (tool.run)(&call)
        })
        .await
    }

    /// Gives the first look at all files a moment; tells callers that asked for it how far it is.
    async fn wait_for_first_pass(&self, context: &RequestContext<RoleServer>, limit: Duration) {
        let begun = Instant::now();
        let mut told = 0.0;
        while let Some(pass) = self.shared.engine.first_pass() {
            let patience = if pass.cold { COLD_PATIENCE } else { WARM_PATIENCE };
            if begun.elapsed() >= patience.min(limit) || context.ct.is_cancelled() {
                return;
            }
            if begun.elapsed() >= PROGRESS_EVERY {
                told = self.tell_progress(context, pass, told).await;
            }
            let engine = Arc::clone(&self.shared.engine);
            let waiting = tokio::task::spawn_blocking(move || engine.wait_for_first_pass(PROGRESS_EVERY));
            tokio::select! {
                _ = waiting => {}
                () = context.ct.cancelled() => return,
            }
        }
    }

    /// Progress must grow with every notice, so what was told last is handed back.
    async fn tell_progress(&self, context: &RequestContext<RoleServer>, pass: FirstPass, told: f64) -> f64 {
        let Some(token) = context.meta.get_progress_token() else { return told };
        let progress = pass.files as f64;
        if progress <= told {
            return told;
        }
        let message = format!("indexing: {} of {} files", pass.files, pass.total);
        let notice = ProgressNotificationParam::new(token, progress)
            .with_total(pass.total as f64)
            .with_message(message);
        let _ = context.peer.notify_progress(notice).await;
        progress
    }
}

impl Shared {
    /// The tools with the facets of the index; built again only when documents have changed.
    fn offer(&self) -> Result<Arc<Offer>, EngineError> {
        let generation = self.engine.content_generation()?;
        let known = self.known_offer();
        if known.facets.generation == generation && !known.facets.collections.is_empty() {
            return Ok(known);
        }
        let offer = Arc::new(Offer::new(&self.tools, Facets::of(&self.engine, &self.scope)?));
        *self.offer.lock().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&offer);
        Ok(offer)
    }

    /// The tools with the facets of the files as they are now.
    fn fresh_offer(&self) -> Result<Arc<Offer>, EngineError> {
        self.engine.look_for_changes();
        self.offer()
    }

    /// The tools as they were last built.
    fn known_offer(&self) -> Arc<Offer> {
        Arc::clone(&self.offer.lock().unwrap_or_else(PoisonError::into_inner))
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
        // Without an index there is nothing to say of it; each call tells what is wrong.
        let about = self.shared.engine.about(&self.shared.scope).unwrap_or_default();
        let (tools, is_built) = (&self.shared.tools, self.shared.engine.is_built());
        ServerConfig::new(capabilities).with_server_info(info).with_instructions(instructions::write(
            tools,
            is_built,
            about.instructions.as_deref(),
        ))
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        self.look_before_greeting().await;
        self.negotiate_initialize(&request)
    }

    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        self.look_before_greeting().await;
        let versions = self.supported_protocol_versions().into_owned();
        Ok(DiscoverResult::from_server_info(versions, self.get_info()))
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        refuse_cursor(request)?;
        let caller = caller(&context);
        self.wait_for_first_pass(&context, LIST_PATIENCE).await;
        let ttl = if self.shared.engine.first_pass().is_some() { 0 } else { TOOLS_TTL_MS };
        let tools = self
            .work(move |shared| {
                // An index that cannot be read must not hide the tools: each call says what is wrong.
                let offer = shared.fresh_offer();
                let offer = offer.unwrap_or_else(|_| Arc::new(Offer::new(&shared.tools, Facets::default())));
                let allowed = offer.tools.iter().filter(|(scope, _)| caller.may(*scope));
                allowed.map(|(_, tool)| tool.clone()).collect::<Vec<_>>()
            })
            .await?;
        Ok(ListToolsResult::with_all_items(tools).with_ttl_ms(ttl).with_cache_scope(CacheScope::Private))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.shared.known_offer().tool(name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = self.shared.tools.iter().find(|tool| tool.name == request.name).copied();
        let tool = tool.ok_or_else(|| {
            let names: Vec<&str> = self.shared.tools.iter().map(|tool| tool.name).collect();
            let name: String = docent_text::visible(&request.name).chars().take(100).collect();
            ErrorData::invalid_params(format!("Unknown tool: {name}. There are: {}.", names.join(", ")), None)
        })?;
        let begun = Instant::now();
        let outcome = self.call(tool, request, context).await;
        let word = match &outcome {
            Ok(Ok(_)) => "ok",
            Ok(Err(_)) => "refused",
            Err(_) => "failed",
        };
        self.shared.metrics.count(tool.name, word, begun.elapsed());
        Ok(match outcome? {
            Ok(value) => CallToolResult::structured(value).into(),
            Err(failure) => CallToolResult::error(vec![ContentBlock::text(failure.text())]).into(),
        })
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
            resources::list(&shared.engine, &shared.scope, &caller.name, cursor.as_deref())
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
        self.wait_for_first_pass(&context, COLD_PATIENCE).await;
        let read =
            self.work(move |shared| resources::read(&shared.engine, &shared.scope, &request.uri)).await??;
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
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
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
            .work(move |shared| resources::complete(&shared.engine, &shared.scope, &part, &typed, known))
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
        self.shared.notices.add(context.peer);
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.shared.notices.subscribe(&context.peer, &request.uri, true)
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.shared.notices.subscribe(&context.peer, &request.uri, false)
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

/// Who sent a request. Over stdio nobody says, and it is whoever started the process.
fn caller(context: &RequestContext<RoleServer>) -> Caller {
    if let Some(caller) = context.extensions.get::<Caller>() {
        return caller.clone();
    }
    match context.extensions.get::<http::request::Parts>() {
        None => Caller::local(),
        // Whoever came over HTTP and was not let in by name may do nothing.
        Some(parts) => parts.extensions.get::<Caller>().cloned().unwrap_or_else(Caller::nobody),
    }
}
