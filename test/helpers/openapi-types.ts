import { registerHooks } from 'node:module';

const DOCUMENT = new URL('../../docs/openapi.yaml', import.meta.url);

/** Prints the TypeScript types of `docs/openapi.yaml`. */
export async function printApiTypes(): Promise<string> {
  const { astToString, default: readTypes, COMMENT_HEADER } = await importGenerator();
  const types = await readTypes(DOCUMENT, { immutable: true, emptyObjectsUnknown: true, silent: true });
  return `${COMMENT_HEADER}${astToString(types)}`;
}

/** The generator prints with the compiler of TypeScript 5: that of TypeScript 7 has no such API. */
async function importGenerator() {
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const isOfGenerator = context.parentURL?.includes('/node_modules/openapi-typescript/') === true;
      return next(isOfGenerator && specifier === 'typescript' ? 'typescript-5' : specifier, context);
    },
  });
  try {
    return await import('openapi-typescript');
  } finally {
    hooks.deregister();
  }
}
