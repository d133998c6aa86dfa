/** Renders a module's ERB templates. Follows lib/puppet/parser/functions/template.rb. */

import { readUtf8 } from '../../environment/utf8-text.ts';
import { ISSUES } from '../../errors/issues/catalogue.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { defineLegacyFunction } from '../../evaluator/legacy-function.ts';
import type { CallSite } from '../../evaluator/ports.ts';
import { implicitString } from '../support/conversion.ts';
import { pathInModule } from '../support/module-files.ts';
import { renderErb, requireErb } from '../support/ruby-template.ts';

export const template = defineLegacyFunction('template', {
  arity: -2,
  rvalue: true,
  body: (site, args) => {
    requireErb(site, 'ERB template');
    return args.map((arg) => renderFile(site, implicitString(arg))).join('');
  },
});

function renderFile(site: CallSite, reference: string): string {
  const { environment } = site.context;
  const path = pathInModule(environment, reference, 'templates');
  const text = path === null ? null : readUtf8(environment, path);
  if (path === null || text === null) throw new PuppetError(ISSUES.TEMPLATE_NOT_FOUND({ name: reference }));
  // Puppet: a byte order mark is not part of the text, FileSystem.read_preserve_line_endings
  const source = { path, text: text.replace(/^\uFEFF/, '') };
  return renderErb(site, source, reference, ({ detail, file, line }) => {
    const lines = [
      `Failed to parse template ${reference}:`,
      `  Filepath: ${file ?? path}`,
      `  Line: ${line ?? ''}`,
      `  Detail: ${detail}`,
    ];
    return `${lines.join('\n')}\n`;
  });
}
