import { CertificateRecords } from '../../access/ca/certificate-records.ts';
import { readTrustedExtensions } from '../../access/ca/trusted-extensions.ts';
import { trustedFacts } from '../../access/ca/trusted-facts.ts';
import type { TrustedNames } from '../../access/ca/trusted-oid-mapping.ts';
import { x509 } from '../../access/ca/x509.ts';
import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import { repeatUntilWritten } from '../../store/change-document.ts';
import type { NodeRecord } from '../../store/ports/node-record.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { loadFacts, type NodeFacts, storeFacts, storeTrustedFacts, timeFacts } from '../facts/facts-blob.ts';
import { HierarchyStore } from '../groups/hierarchy-store.ts';
import { groupNode } from '../groups/node-grouping.ts';
import { environmentInForce } from './classification.ts';

type Ports = Pick<Stores, 'nodes' | 'blobs' | 'queue' | 'groups' | 'clock'>;

/** Outcome: a compile job was sent, or something is missing for it. */
type FirstCatalog = 'is compiled' | 'waits for its facts' | 'waits for its certificate';

/** The environment of a node that has neither asked for one nor is classified. */
const USUAL_ENVIRONMENT = 'production';

/** `$trusted` of a node with this certificate (PEM). */
export function trustedFactsOf(certname: string, pem: string, names: TrustedNames): PuppetHash {
  return trustedFacts(certname, readTrustedExtensions(new x509.X509Certificate(pem)), names);
}

/**
 * Prepares the first catalog of a node whose certificate was signed: creates its record, stores its
 * trusted facts, and sends an express job when facts are known, from an earlier life of the node or
 * from `seedFacts`. Call it when the certificate is stored.
 */
export async function prepareSignedNode(certname: string, trusted: PuppetHash, ports: Ports): Promise<FirstCatalog> {
  const { nodes, blobs, clock } = ports;
  return repeatUntilWritten(`the node ${certname}`, async () => {
    const node = await nodes.markSeen(certname, USUAL_ENVIRONMENT, clock.now());
    const stored = await loadFacts(blobs, node);
    const facts = { ...(stored ?? { facts: new PuppetHash() }), trusted };
    if (stored !== null && node.facts !== null) return requestCompile(node, facts, ports);
    await storeTrustedFacts(blobs, certname, facts);
    return 'waits for its facts';
  });
}

/**
 * Stores facts for a node in place of the last ones. When its certificate is signed, an express job
 * is sent. The facts are stored before the certificate is looked for, and `prepareSignedNode` looks
 * for facts when the certificate is stored: whichever comes second sees the other.
 */
export async function seedFacts(
  certname: string,
  facts: PuppetHash,
  names: TrustedNames,
  ports: Ports & Pick<Stores, 'documents'>,
): Promise<FirstCatalog> {
  const { nodes, blobs, documents, clock } = ports;
  const seeded = await repeatUntilWritten(`the node ${certname}`, async () => {
    const at = clock.now();
    const node = await nodes.markSeen(certname, USUAL_ENVIRONMENT, at);
    const stored = await loadFacts(blobs, node);
    const next = { ...(stored ?? { trusted: trustedFacts(certname, new Map()) }), facts };
    const pointer = await storeFacts(blobs, next, timeFacts(node.facts, at));
    return (await nodes.factsStored(certname, pointer, node.version)) ? next : null;
  });
  const signed = await new CertificateRecords(documents).get(certname);
  if (signed === null || signed.isClosed) return 'waits for its certificate';
  const trusted = trustedFactsOf(certname, signed.pem, names);
  return repeatUntilWritten(`the node ${certname}`, async () => {
    const node = await nodes.markSeen(certname, USUAL_ENVIRONMENT, clock.now());
    // A check-in since then has facts of its own.
    const stored = await loadFacts(blobs, node);
    return requestCompile(node, { ...(stored ?? seeded), trusted }, ports);
  });
}

/** Whether the node's certificate is signed, but its facts are not known. */
export async function isWaitingForFacts(node: NodeRecord, { blobs }: Pick<Stores, 'blobs'>): Promise<boolean> {
  return node.facts === null && (await loadFacts(blobs, node)) !== null;
}

/** The environment in which the node's next catalog will be compiled. */
export async function nextEnvironment(certname: string, { nodes }: Pick<Stores, 'nodes'>): Promise<string> {
  const node = await nodes.get(certname);
  return environmentInForce(node, node?.environment ?? USUAL_ENVIRONMENT);
}

/** Requests a compile with these facts; null when the node's record has another version by then. */
async function requestCompile(
  { certname, facts: before, version }: Pick<NodeRecord, 'certname' | 'facts' | 'version'>,
  facts: NodeFacts,
  ports: Ports,
): Promise<FirstCatalog | null> {
  const { nodes, blobs, queue, clock } = ports;
  const at = clock.now();
  const reason = 'certificate signed';
  const pointer = await storeFacts(blobs, facts, timeFacts(before, at));
  const groups = await new HierarchyStore(ports).read();
  const grouping = groupNode(groups, { name: certname, fact: facts.facts, trusted: facts.trusted }, at);
  const node = await nodes.want(certname, reason, at, { facts: pointer, grouping, asked: true, version });
  if (node === null) return null;
  if (!node.isJobDue) return 'is compiled';
  try {
    await queue.send('express', [{ certname, generation: node.wanted, reason, at }]);
  } catch (error) {
    await nodes.unask(certname, node.wanted);
    throw error;
  }
  return 'is compiled';
}
