import type { LanguageLevel } from '../../config/language-level.ts';
import type { FactsText } from '../../fleet/catalogs/catalog-service.ts';
import { commonChecksumType, knowsChecksumType, noCommonChecksumType } from '../../fleet/facts/checksum-types.ts';
import { isEnvironmentName } from '../../puppet/environment/directory-environment.ts';
import { languageOf } from '../../puppet/levels/language.ts';
import type { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import { type CatalogForm, decodeForm } from '../body/read-form.ts';
import { certnameOf, type HttpContext } from '../endpoint.ts';
import type { HttpServices } from '../services.ts';
import { badRequestError, internalServerError, plainRefusal } from './answers.ts';
import { postedFacts } from './posted-facts.ts';

/** The parameters of a catalog request. */
export interface CatalogParameters {
  readonly environment: string;
  /** Whether the agent first wants to know if it is in another environment. */
  readonly checkEnvironment: boolean;
  /** Checksum type of the requested static catalog; null for an ordinary one. */
  readonly checksumType: string | null;
  /** Null without facts. */
  readonly facts: PuppetHash | null;
  /** The same facts as text. */
  readonly factsText: FactsText | null;
}

/**
 * Reads the query and the form. Refuses like Puppet Server: 400 (plain text) for a missing or
 * invalid environment; 500 for facts in another format, of another node, or that are not JSON; 400
 * for other malformed facts.
 */
export async function readCatalogParameters(
  context: HttpContext,
  form: CatalogForm,
  { longTexts, settings }: Pick<HttpServices, 'longTexts' | 'settings'>,
): Promise<CatalogParameters> {
  const query = new URL(context.req.url).searchParams;
  const environment = query.get('environment') ?? form.get('environment') ?? null;
  if (environment === null || !isEnvironmentName(environment)) {
    throw plainRefusal(400, `The environment must be purely alphanumeric, not '${environment}'`);
  }
  const getParameter = (name: string) => form.get(name) ?? query.get(name);
  const common = {
    environment,
    checkEnvironment: getParameter('check_environment') === 'true',
    checksumType:
      getParameter('static_catalog') === 'true'
        ? readChecksumType(getParameter('checksum_type'), settings.language)
        : null,
  };
  const text = form.has('facts') ? form.get('facts') : decodeFacts(query.get('facts'));
  if (text === null) throw badRequestError('The facts are not URL-encoded UTF-8');
  // Differs from Puppet: it fails for null facts, which `puppet catalog download` and `find` send.
  if (text === undefined || text === 'null') return { ...common, facts: null, factsText: null };
  checkFormat(form.get('facts_format') ?? query.get('facts_format'), certnameOf(context));
  const factsText = postedFacts(text, certnameOf(context), longTexts);
  return { ...common, facts: await factsText.parse(), factsText };
}

/** Undefined without facts; null for those that are not encoded. */
function decodeFacts(encoded: string | null): string | null | undefined {
  return encoded === null ? undefined : decodeForm(encoded);
}

// Puppet: lib/puppet/indirector/catalog/compiler.rb (compile). An agent whose checksum types do not
// depend on the content gets an ordinary catalog.
function readChecksumType(offered: string | null, level: LanguageLevel): string | null {
  const language = languageOf(level);
  if (offered === null || !knowsChecksumType(offered, language)) {
    throw internalServerError(noCommonChecksumType(offered ?? '', language));
  }
  return commonChecksumType(offered, language);
}

// Puppet: lib/puppet/indirector/catalog/compiler.rb (extract_facts_from_request,
// convert_wire_facts).
function checkFormat(format: string | null, certname: string): void {
  if (format === null) throw internalServerError(`Facts but no fact format provided for ${certname}`);
  if (format !== 'application/json' && format !== 'pson') throw internalServerError('Unsupported facts format');
}
