import type { CompileFailure, CompileSuccess } from '../../puppet/compiler/compile.ts';

/** What a store takes as one row: an item of DynamoDB has 400 KB at most. */
const MOST_EXPORT_BYTES = 300_000;

/**
 * The result of a compile; for a catalog with an exported resource that no store takes, the failure
 * that says so.
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
