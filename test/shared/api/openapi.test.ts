import { expect, it } from 'vitest';
import { printApiTypes } from '../../helpers/openapi-types.ts';

/** `npx vitest run test/shared/api -u` writes them again. */
it('has the types that docs/openapi.yaml describes', async () => {
  await expect(await printApiTypes()).toMatchFileSnapshot('../../../shared/api/openapi.d.ts');
});
