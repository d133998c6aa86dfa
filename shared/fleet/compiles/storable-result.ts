import type { CompileFailure, CompileSuccess } from '../../puppet/compiler/compile.ts';

/** The size limit of an export: a DynamoDB item has at most 400 KB. */
const MOST_EXPORT_BYTES = 300_000;

/**
 * Returns the result of a compile, or a failure if an exported resource is too large for the store.
 */
export function storableResult(result: CompileSuccess | CompileFailure): CompileSuccess | CompileFailure {
  if (result.status !== 'ok') return result;
  for (const resource of result.exported) {
    const bytes = Buffer.byteLength(JSON.stringify(resource));
    if (bytes <= MOST_EXPORT_BYTES) continue;
    const what = `${resource.type}[${resource.title.slice(0, 200)}]`;
    const message = `The exported resource ${what} has ${bytes} bytes; at most ${MOST_EXPORT_BYTES} can be exported`;
    return { status: 'failed', error: { message, basic: message }, collectors: result.collectors, log: result.log };
  }
  return result;
}
