/** Renders a module's ERB templates. Follows lib/puppet/parser/functions/template.rb. */

import { readUtf8 } from '../../environment/utf8-text.ts';
import { ISSUES } from '../../errors/issues/catalogue.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { defineLegacyFunction } from '../../evaluator/legacy-function.ts';
import type { CallSite } from '../../evaluator/ports.ts';
import { type BytesText, joinRubyTexts } from '../../types/values/bytes-text.ts';
import { implicitString } from '../support/conversion.ts';
import { pathInModule } from '../support/module-files.ts';
import { renderErb, requireErb } from '../support/ruby-template.ts';

export const template = defineLegacyFunction('template', {
  arity: -2,
  rvalue: true,
  body: (site, args) => {
    requireErb(site, 'ERB template');
    return joinRubyTexts(args.map((arg) => renderFile(site, implicitString(arg))));
  },
});

function renderFile(site: CallSite, reference: string): string | BytesText {
  const { environment } = site.context;
  const path = pathInModule(environment, reference, 'templates');
  const text = path === null ? null : readUtf8(environment, path);
  if (path === null || text === null) return refuseMissing(site, reference);
  // Puppet: a byte order mark is not part of the text, FileSystem.read_preserve_line_endings
  const source = { path, text: text.replace(/^\uFEFF/, '') };
  return renderErb(site, source, reference, ({ detail, file, line }) =>
    printFailure(reference, file ?? path, line, detail),
  );
}

// Puppet: an absolute path is read without a look whether it exists, lib/puppet/parser/files.rb
function refuseMissing({ context }: CallSite, reference: string): never {
  const isRead = reference.startsWith('/') && context.environment.kindOf(reference) === null;
  if (!isRead) throw new PuppetError(ISSUES.TEMPLATE_NOT_FOUND({ name: reference }));
  // Ruby: File.open
  const detail = `No such file or directory @ rb_sysopen - ${reference}`;
  throw new PuppetError(printFailure(reference, READER.file, READER.line, detail));
}

/** The place where Puppet reads files, in the packages of Puppet 8.10. */
const READER = {
  file: '/opt/puppetlabs/puppet/lib/ruby/vendor_ruby/puppet/file_system/file_impl.rb',
  line: 84,
} as const;

function printFailure(reference: string, file: string, line: number | null, detail: string): string {
  const lines = [
    `Failed to parse template ${reference}:`,
    `  Filepath: ${file}`,
    `  Line: ${line ?? ''}`,
    `  Detail: ${detail}`,
  ];
  return `${lines.join('\n')}\n`;
}
