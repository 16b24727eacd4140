//! A call of a tool, from the request to the result: rights, room, arguments, the tool itself, off the async threads.

use std::sync::Arc;
use std::time::Instant;

use rmcp::model::{CallToolRequestParams, CallToolResult, ContentBlock, ErrorCode, Extensions};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::json;

use crate::args::Args;
use crate::call::{Answer, Call, Failure, INTERNAL, INVALID_PARAMS, Told};
use crate::caller::Caller;
use crate::first_pass::COLD_PATIENCE;
use crate::health::report_drift;
use crate::library;
use crate::offer::Offer;
use crate::server::DocsServer;
use crate::shared::Shared;
use crate::table::{Effect, ToolSpec, Toolset};
use crate::writing::Work;

impl DocsServer {
    /// Calls a tool that is on offer, and counts the call.
    pub(crate) async fn call_named(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let view = self.shared.view(&caller(&context));
        let tool = view.tools().iter().find(|tool| tool.name == request.name).copied();
        let tool = tool.ok_or_else(|| {
            if request.name == report_drift::TOOL.name && self.shared.whole.health.is_some() {
                let hint = "this server only reads; start it without --read-only, on an index that can be written to";
                let message = "Drift reporting is not available in this version.";
                return ErrorData::internal_error(message, Some(json!({"hint": hint})));
            }
            let names: Vec<&str> = view.tools().iter().map(|tool| tool.name).collect();
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
        match outcome {
            Ok(Ok(answer)) => Ok(result(tool, answer)),
            Ok(Err(failure)) if tool.toolset.has_codes() => Err(coded(failure.with_code(INTERNAL))),
            Ok(Err(failure)) => Ok(refusal(tool, failure.text())),
            Err(error) if tool.toolset.tells_errors() => Ok(refusal(tool, &error.message)),
            Err(error) => Err(error),
        }
    }

    /// Runs `work` off the async threads.
    pub(crate) async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Shared) -> T + Send + 'static,
    ) -> Result<T, ErrorData> {
        let shared = Arc::clone(&self.shared);
        let _place = self.shared.cores.acquire().await;
        let done = tokio::task::spawn_blocking(move || work(&shared)).await;
        done.map_err(|_| broken())
    }

    async fn call(
        &self,
        tool: &'static ToolSpec,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<Result<Answer, Failure>, ErrorData> {
        let caller = caller(&context);
        if !caller.may(tool.effect.scope()) {
            let scope = tool.effect.scope().name();
            return Ok(Err(Failure::told(format!(
                "This token lacks the scope {scope}, which {} needs.",
                tool.name
            ))));
        }
        let args = Args::new(request.arguments);
        let agent = agent(&context);
        if tool.effect == Effect::Reads {
            let Ok(_slot) = self.shared.calls.try_acquire() else {
                return Ok(Err(Failure::told("The server is busy with other calls. Try again in a moment.")));
            };
            self.wait_for_first_pass(&context, COLD_PATIENCE).await;
            return self
                .work(move |shared| answer(shared, tool, args, &Asking { caller, agent }, &Work::default()))
                .await;
        }
        // Calls that write wait in lines of their own, so that however many there are, others are answered.
        let asking = Asking { caller, agent };
        let work = move |shared: &Shared, work: &Work| answer(shared, tool, args, &asking, work);
        let done = self.write(&context, tool.effect, work).await?;
        Ok(done.and_then(|answered| answered))
    }
}

/// Who asks.
struct Asking {
    caller: Caller,
    /// What their program calls itself.
    agent: String,
}

/// What the tool answers.
fn answer(
    shared: &Shared,
    tool: &'static ToolSpec,
    mut args: Args,
    asking: &Asking,
    work: &Work,
) -> Result<Answer, Failure> {
    let view = shared.view(&asking.caller);
    let mut offer = view.offer()?;
    let check = |offer: &Offer| {
        // Facets beyond those in the schema can be given all the same.
        let is_facet = |name: &str| tool.name == "search_docs" && offer.facets.has_key(name);
        offer.schema(tool.name).map_or(Ok(()), |schema| args.check_known(schema, is_facet))
    };
    if check(&offer).is_err() {
        // It may be a facet of a file that was written a moment ago.
        offer = view.fresh_offer()?;
        let refused = |failure: Failure| match tool.toolset.has_codes() {
            true => failure.with_code(INVALID_PARAMS),
            false => failure,
        };
        check(&offer).map_err(refused)?;
    }
    if let Some(schema) = offer.schema(tool.name).filter(|_| tool.toolset == Toolset::Library) {
        args.read_digits(schema);
    }
    let (engine, library, facets) = (&*view.engine, view.library.as_deref(), &offer.facets);
    let (caller, agent, health) = (&asking.caller, asking.agent.as_str(), view.health.as_deref());
    (tool.run)(&Call { tool: tool.name, engine, caller, args, facets, library, health, agent, work })
}

/// What was refused, in the way of the tool's set.
fn refusal(tool: &ToolSpec, message: &str) -> CallToolResult {
    // It may repeat what was given, or the name of a file.
    let message = docent_text::visible(message);
    match tool.toolset.tells_errors() {
        true => CallToolResult::structured(json!({"status": "error", "error": message})),
        false => CallToolResult::error(vec![ContentBlock::text(message)]),
    }
}

/// What was refused, as an error of JSON-RPC.
fn coded(failure: Failure) -> ErrorData {
    match failure {
        Failure::Told(message) | Failure::Unreachable(message) => ErrorData::internal_error(message, None),
        Failure::Coded { code, message, hint } => {
            let data = (!hint.is_empty()).then(|| json!({"hint": hint}));
            ErrorData::new(ErrorCode(code), message, data)
        }
    }
}

/// What the program calls itself that sent a request; empty when it does not say.
fn agent(context: &RequestContext<RoleServer>) -> String {
    let said = context.meta.client_info().map(|client| client.name);
    let greeted = || context.peer.peer_info().map(|info| info.client_info.name.clone());
    said.or_else(greeted).unwrap_or_default()
}

/// Said when our own code failed.
pub(crate) fn broken() -> ErrorData {
    ErrorData::internal_error("the server failed to answer; this is a bug in docent", None)
}

fn result(tool: &ToolSpec, answer: Answer) -> CallToolResult {
    match answer {
        Answer::Value(value) if tool.toolset == Toolset::Library => {
            CallToolResult::structured(library::seen(value))
        }
        Answer::Value(value) => CallToolResult::structured(value),
        Answer::Told(Told { message, hint }) => {
            // Clients that know the output schema insist on structured content; people read the plain text, and programs
            // compare the first line of it.
            let mut result = CallToolResult::structured(json!({"message": message, "hint": hint}));
            result.content = vec![ContentBlock::text(message), ContentBlock::text(hint)];
            result
        }
    }
}

/// Who sent a request. Over stdio nobody says, and it is whoever started the process.
pub(crate) fn caller(context: &RequestContext<RoleServer>) -> Caller {
    caller_of(&context.extensions)
}

/// Who sent a request or a notification.
pub(crate) fn caller_of(extensions: &Extensions) -> Caller {
    if let Some(caller) = extensions.get::<Caller>() {
        return caller.clone();
    }
    match extensions.get::<http::request::Parts>() {
        None => Caller::local(),
        // Whoever came over HTTP and was not let in by name may do nothing.
        Some(parts) => parts.extensions.get::<Caller>().cloned().unwrap_or_else(Caller::nobody),
    }
}
