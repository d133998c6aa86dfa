import { ISSUES } from '../../errors/issues/catalogue.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { defineFunction } from '../../evaluator/native-function.ts';
import { Binary } from '../../types/values/binary.ts';
import { pathInModule } from '../support/module-files.ts';

export const binaryFile = defineFunction('binary_file', {
  dispatches: [
    {
      params: ['String path'],
      body: (site, [reference]) => {
        const { environment } = site.context;
        const path = pathInModule(environment, String(reference), 'files');
        const bytes = path === null ? null : environment.read(path);
        if (bytes === null) throw new PuppetError(ISSUES.BINARY_FILE_NOT_FOUND({ reference: String(reference) }));
        return new Binary(bytes);
      },
    },
  ],
});
