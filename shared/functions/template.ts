import { PuppetError } from '../errors/puppet-error.ts';
import { implicitString } from './conversion.ts';
import { defineLegacyFunction } from './legacy-function.ts';
import { pathInModule } from './module-files.ts';
import { erbNeedsRuby, requireErb } from './ruby-template.ts';

export const template = defineLegacyFunction('template', {
  arity: -2,
  rvalue: true,
  body: (site, args) => {
    requireErb(site, 'ERB template');
    const { environment } = site.context;
    const texts = args.map((arg) => {
      const reference = implicitString(arg);
      const path = pathInModule(environment, reference, 'templates');
      const source = path === null ? null : environment.readText(path);
      if (source === null) throw new PuppetError(`Could not find template '${reference}'`);
      if (source.includes('<%')) throw erbNeedsRuby(reference);
      return source;
    });
    return texts.join('');
  },
});
