/**
 * The process of one execution environment: loads the handler, then asks the Runtime API for one
 * event after the other, as Lambda documents it for custom runtimes ("Using the Lambda runtime API
 * for custom runtimes"). It stands in for `aws-lambda-ric`, whose native part is compiled when it
 * is installed.
 */
import { join } from 'node:path';

const { AWS_LAMBDA_RUNTIME_API: api, LAMBDA_TASK_ROOT: root = '', _HANDLER: name = '' } = process.env;
const RUNTIME = `http://${api}/2018-06-01/runtime`;

type Handler = (event: unknown, context: unknown) => Promise<unknown>;

async function loadHandler(): Promise<Handler> {
  const [file = '', exported = ''] = name.split('.');
  const { [exported]: handler } = await import(join(root, `${file}.mjs`));
  if (typeof handler !== 'function') throw new TypeError(`${name} is not a function`);
  return handler;
}

async function post(path: string, body: unknown): Promise<void> {
  await fetch(RUNTIME + path, { method: 'POST', body: JSON.stringify(body ?? null) });
}

function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { errorType: 'string', errorMessage: String(error), stackTrace: [] };
  return { errorType: error.name, errorMessage: error.message, stackTrace: error.stack?.split('\n') ?? [] };
}

async function processNext(handler: Handler): Promise<void> {
  const next = await fetch(`${RUNTIME}/invocation/next`);
  const id = next.headers.get('Lambda-Runtime-Aws-Request-Id') ?? '';
  const deadline = Number(next.headers.get('Lambda-Runtime-Deadline-Ms'));
  const event: unknown = await next.json();
  const context = { awsRequestId: id, getRemainingTimeInMillis: () => deadline - Date.now() };
  try {
    await post(`/invocation/${id}/response`, await handler(event, context));
  } catch (error) {
    await post(`/invocation/${id}/error`, describeError(error));
  }
}

try {
  const handler = await loadHandler();
  for (;;) await processNext(handler);
} catch (error) {
  await post('/init/error', describeError(error));
  process.exit(1);
}
