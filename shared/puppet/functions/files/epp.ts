import { readUtf8 } from '../../environment/utf8-text.ts';
import { ISSUES } from '../../errors/issues/catalogue.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { defineFunction } from '../../evaluator/native-function.ts';
import type { CallSite } from '../../evaluator/ports.ts';
import type { Value } from '../../types/values/values.ts';
import { pathInModule } from '../support/module-files.ts';
import { parseTemplateFile, renderTemplate } from '../support/template-program.ts';

/** Renders a module's template file in the node's scope or top scope. */
export const epp = defineFunction('epp', {
  dispatches: [
    {
      params: ['String path', '?Hash[Pattern[/^\\w+$/], Any] parameters'],
      returns: 'Variant[String, Sensitive[String]]',
      body: (site, [reference, parameters = null]) => renderFile(site, String(reference), parameters),
    },
  ],
});

function renderFile(site: CallSite, reference: string, parameters: Value): Value {
  const { environment } = site.context;
  const exact = reference.startsWith('/') && environment.kindOf(reference) !== null;
  const name = exact || /\.epp$/m.test(reference) ? reference : `${reference}.epp`;
  const path = pathInModule(environment, name, 'templates');
  const source = path === null ? null : readUtf8(environment, path);
  if (path === null || source === null) throw new PuppetError(ISSUES.TEMPLATE_NOT_FOUND({ name }));
  const program = parseTemplateFile(site, 'epp', path, source);
  return site.scope.withGlobalScope((scope) => renderTemplate(site, 'epp', program, scope, parameters));
}
