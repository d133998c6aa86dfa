import type { FactsText } from '../../fleet/catalogs/catalog-service.ts';
import { commonChecksumType, KNOWN_CHECKSUM_TYPES, knowsChecksumType } from '../../fleet/nodes/checksum-types.ts';
import { isEnvironmentName } from '../../puppet/environment/directory-environment.ts';
import type { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import type { Semaphore } from '../../util/semaphore.ts';
import { certnameOf, type HttpContext } from '../endpoint.ts';
import { internalServerError, plainRefusal } from './answers.ts';
import { readForm } from './form.ts';
import { inOwnTurn, LONG_TEXT } from './json-texts.ts';
import { readPostedFacts } from './posted-facts.ts';

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
 * Reads the query and the form `body`; a long one in turns of the event loop. Refuses like Puppet
 * Server: 400 for a form with too many parameters, and (plain text) for a missing or invalid
 * environment; 500 for facts in another format, of another node, or that are not JSON; 400 for
 * other malformed facts.
 */
export async function readCatalogParameters(
  context: HttpContext,
  body: Uint8Array,
  longTexts: Semaphore,
): Promise<CatalogParameters> {
  const form = body.length > LONG_TEXT ? await inOwnTurn(longTexts, () => readForm(body)) : readForm(body);
  const query = new URL(context.req.url).searchParams;
  const environment = query.get('environment') ?? form.get('environment');
  if (environment === null || !isEnvironmentName(environment)) {
    throw plainRefusal(400, `The environment must be purely alphanumeric, not '${environment}'`);
  }
  const getParameter = (name: string) => form.get(name) ?? query.get(name);
  const common = {
    environment,
    checkEnvironment: getParameter('check_environment') === 'true',
    checksumType: getParameter('static_catalog') === 'true' ? readChecksumType(getParameter('checksum_type')) : null,
  };
  const text = form.get('facts') ?? query.get('facts');
  // Differs from Puppet: it fails for null facts, which `puppet catalog download` and `find` send.
  if (text === null || text === 'null') return { ...common, facts: null, factsText: null };
  checkFormat(form.get('facts_format') ?? query.get('facts_format'), certnameOf(context));
  const read = () => readPostedFacts(text, certnameOf(context), longTexts);
  const factsText = text.length > LONG_TEXT ? await inOwnTurn(longTexts, read) : read();
  return { ...common, facts: await factsText.parse(), factsText };
}

// Puppet: lib/puppet/indirector/catalog/compiler.rb (compile). An agent whose checksum types do not
// depend on the content gets an ordinary catalog.
function readChecksumType(offered: string | null): string | null {
  if (offered === null || !knowsChecksumType(offered)) {
    throw internalServerError(
      `Unable to find a common checksum type between agent '${offered ?? ''}' and master '${KNOWN_CHECKSUM_TYPES}'.`,
    );
  }
  return commonChecksumType(offered);
}

// Puppet: lib/puppet/indirector/catalog/compiler.rb (extract_facts_from_request,
// convert_wire_facts).
function checkFormat(format: string | null, certname: string): void {
  if (format === null) throw internalServerError(`Facts but no fact format provided for ${certname}`);
  if (format !== 'application/json' && format !== 'pson') throw internalServerError('Unsupported facts format');
}
