/** Renders a module's ERB templates. Follows lib/puppet/parser/functions/template.rb. */

import type { Environment } from '../../environment/environment.ts';
import { readLenient } from '../../environment/utf8-text.ts';
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
  const text = path === null ? null : readTemplate(environment, path, reference);
  if (path === null || text === null) return refuseMissing(site, reference);
  if (typeof text !== 'string' && !text.text.includes('<%')) return text;
  // A text that is not valid goes to Ruby with its bytes escaped.
  const source = { path, text: typeof text === 'string' ? text : text.text };
  return renderErb(site, source, reference, ({ detail, file, line }) =>
    printFailure(reference, file ?? path, line, detail),
  );
}

function readTemplate(environment: Environment, path: string, reference: string): string | BytesText | null {
  try {
    return readLenient(environment, path);
  } catch (error) {
    if (!(error instanceof PuppetError)) throw error;
    throw new PuppetError(printFailure(reference, READER.file, READER.line, error.basic));
  }
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
