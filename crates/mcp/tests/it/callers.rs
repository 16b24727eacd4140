//! The server as other callers see it, with a token for less than everything.

use docent_mcp::{Caller, DocsServer, Scope};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, DiscoverResult,
    GetPromptRequestParams, GetPromptResponse, InitializeRequestParams, InitializeResult, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ServerConfig, SubscribeRequestParams,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};

use crate::client::{Client, Era};
use crate::world::World;

/// A client that may do this much.
pub(crate) fn as_caller(world: &World, name: &str, scopes: &[Scope]) -> Client {
    with_token(world, name, &scopes.iter().map(|scope| scope.name()).collect::<Vec<_>>())
}

/// A client with a token of these scopes.
pub(crate) fn with_token(world: &World, name: &str, scopes: &[&str]) -> Client {
    let mut client = connect(world, name, scopes, Era::Legacy);
    client.initialize();
    client
}

/// As [`with_token`], before it has said hello.
pub(crate) fn connect(world: &World, name: &str, scopes: &[&str], era: Era) -> Client {
    let caller = Caller::with_scopes(name, scopes.iter().copied());
    let handler = As { server: world.server.clone().unwrap(), caller };
    world.connect_to(handler, era)
}

/// The server as another caller sees it.
struct As {
    server: DocsServer,
    caller: Caller,
}

impl As {
    fn context(&self, mut context: RequestContext<RoleServer>) -> RequestContext<RoleServer> {
        context.extensions.insert(self.caller.clone());
        context
    }
}

type Outcome<T> = Result<T, ErrorData>;
type Context = RequestContext<RoleServer>;

impl ServerHandler for As {
    fn get_info(&self) -> ServerConfig {
        self.server.get_info()
    }

    async fn discover(&self, context: Context) -> Outcome<DiscoverResult> {
        self.server.discover(self.context(context)).await
    }

    async fn on_initialized(&self, mut context: NotificationContext<RoleServer>) {
        context.extensions.insert(self.caller.clone());
        self.server.on_initialized(context).await;
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: Context,
    ) -> Outcome<InitializeResult> {
        self.server.initialize(request, self.context(context)).await
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Outcome<ListToolsResult> {
        self.server.list_tools(request, self.context(context)).await
    }

    async fn call_tool(&self, request: CallToolRequestParams, context: Context) -> Outcome<CallToolResponse> {
        self.server.call_tool(request, self.context(context)).await
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Outcome<ListResourcesResult> {
        self.server.list_resources(request, self.context(context)).await
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Outcome<ListResourceTemplatesResult> {
        self.server.list_resource_templates(request, self.context(context)).await
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: Context,
    ) -> Outcome<ReadResourceResponse> {
        self.server.read_resource(request, self.context(context)).await
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Outcome<ListPromptsResult> {
        self.server.list_prompts(request, self.context(context)).await
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: Context,
    ) -> Outcome<GetPromptResponse> {
        self.server.get_prompt(request, self.context(context)).await
    }

    async fn complete(&self, request: CompleteRequestParams, context: Context) -> Outcome<CompleteResult> {
        self.server.complete(request, self.context(context)).await
    }

    #[expect(deprecated, reason = "clients of the handshake era do it")]
    async fn subscribe(&self, request: SubscribeRequestParams, context: Context) -> Outcome<()> {
        self.server.subscribe(request, self.context(context)).await
    }
}
