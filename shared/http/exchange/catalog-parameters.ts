import type { FactsText } from '../../fleet/catalogs/catalog-service.ts';
import { commonChecksumType, KNOWN_CHECKSUM_TYPES, knowsChecksumType } from '../../fleet/nodes/checksum-types.ts';
import { isEnvironmentName } from '../../puppet/environment/directory-environment.ts';
import type { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import { certnameOf, type HttpContext } from '../endpoint.ts';
import { internalServerError, plainRefusal } from './answers.ts';
import { readPostedFacts } from './posted-facts.ts';

/** What a catalog request says. */
export interface CatalogParameters {
  readonly environment: string;
  /** Whether the agent wants to hear first that it is in another environment. */
  readonly checkEnvironment: boolean;
  /** The type of checksums of the static catalog that is asked for; null for an ordinary one. */
  readonly checksumType: string | null;
  /** Null when none were sent. */
  readonly facts: PuppetHash | null;
  /** The text of the same facts. */
  readonly factsText: FactsText | null;
}

/**
 * Reads query and form `body`. Refuses as Puppet Server does: an environment that is missing or no
 * name (400, plain text), facts in another format, of another node, or that are no JSON (500), and
 * (400) other malformed facts.
 */
export function readCatalogParameters(context: HttpContext, body: Uint8Array): CatalogParameters {
  const form = new URLSearchParams(new TextDecoder().decode(body));
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
  // Differs from Puppet: it fails on facts that are null, which `puppet catalog download` and
  // `find` send.
  if (text === null || text === 'null') return { ...common, facts: null, factsText: null };
  checkFormat(form.get('facts_format') ?? query.get('facts_format'), certnameOf(context));
  const factsText = readPostedFacts(text, certnameOf(context));
  return { ...common, facts: factsText.parse(), factsText };
}

// Puppet: lib/puppet/indirector/catalog/compiler.rb (compile). An agent with types that say nothing
// of the content gets an ordinary catalog.
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
