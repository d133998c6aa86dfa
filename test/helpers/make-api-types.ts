/**
 * Writes the TypeScript types of `docs/openapi.yaml`. `npm ci` and `npm run check` do so. An
 * installation without the packages for developers needs no types.
 */
import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const DOCUMENT = new URL('../../docs/openapi.yaml', import.meta.url);
const TYPES = new URL('../../shared/api/openapi.d.ts', import.meta.url);

// The generator prints with the compiler of TypeScript 5: that of TypeScript 7 has no such API.
registerHooks({
  resolve(specifier, context, next) {
    const isOfGenerator = context.parentURL?.includes('/node_modules/openapi-typescript/') === true;
    return next(isOfGenerator && specifier === 'typescript' ? 'typescript-5' : specifier, context);
  },
});

const generator = await import('openapi-typescript').catch((error: unknown) => {
  if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return null;
  throw error;
});
if (generator !== null) {
  const { astToString, default: readTypes, COMMENT_HEADER } = generator;
  const types = await readTypes(DOCUMENT, { immutable: true, emptyObjectsUnknown: true, silent: true });
  writeFileSync(TYPES, `${COMMENT_HEADER}${astToString(types)}`);
}
