import type { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import type { Identity } from '../../access/authorization/access-entry.ts';
import { type CertificateIdentity, identityOfCertificate } from '../../access/authorization/certificate-identity.ts';
import type { SubjectAlternativeName } from '../../access/ca/trusted-extensions.ts';
import type { DoorClient } from './web-socket-door.ts';

/** A subject that is one common name without special characters. */
const PLAIN_SUBJECT = /^CN=([\w.@-]+)$/;
/** Alternative names that are DNS names and addresses alone. */
const PLAIN_NAMES = /^(?:DNS:[\w.*-]+|IP Address:[\d.]+)(?:, (?:DNS:[\w.*-]+|IP Address:[\d.]+))*$/;
const NO_NAMES: readonly SubjectAlternativeName[] = [];

/**
 * The identity in the certificate of a connection; null for none. Most certificates hold one name.
 * For these, extensions are read only when a rule asks for them: reading all of a certificate takes
 * 5 ms and its content 2 kB, for each of very many connections.
 */
export function readClient(socket: TLSSocket): DoorClient {
  const certificate = socket.getPeerX509Certificate();
  const identity = certificate === undefined ? null : (readPlain(socket, certificate) ?? readWhole(certificate));
  return { identity, serial: identity === null ? null : (certificate?.serialNumber ?? null) };
}

function readPlain(socket: TLSSocket, { subject, subjectAltName: names }: X509Certificate): Identity | null {
  const [, certname] = PLAIN_SUBJECT.exec(subject) ?? [];
  if (certname === undefined || !(names === undefined || PLAIN_NAMES.test(names))) return null;
  return new ConnectionIdentity(socket, certname, names ?? null);
}

function readWhole({ raw }: Pick<X509Certificate, 'raw'>): CertificateIdentity | null {
  try {
    return identityOfCertificate(raw);
  } catch {
    // A CA signed a certificate that names no client in a form that can be read.
    return null;
  }
}

function readName(text: string): SubjectAlternativeName {
  const [kind = '', name = ''] = text.split(':', 2);
  return { kind: kind === 'DNS' ? 'dns-name' : 'ip', name };
}

class ConnectionIdentity implements Identity {
  readonly certname: string;
  readonly #socket: TLSSocket;
  /** As Node writes them. One text takes a third of the memory of the names. */
  readonly #names: string | null;
  #whole: CertificateIdentity | null = null;

  constructor(socket: TLSSocket, certname: string, names: string | null) {
    this.#socket = socket;
    this.certname = certname;
    this.#names = names;
  }

  get alternativeNames(): readonly SubjectAlternativeName[] {
    return this.#names === null ? NO_NAMES : this.#names.split(', ').map(readName);
  }

  get extensions(): ReadonlyMap<string, string> {
    return this.#read()?.extensions ?? new Map();
  }

  get extensionsOutsideTrusted(): ReadonlyMap<string, string> {
    return this.#read()?.extensionsOutsideTrusted ?? new Map();
  }

  #read(): CertificateIdentity | null {
    const certificate = this.#whole === null ? this.#socket.getPeerX509Certificate() : undefined;
    if (certificate !== undefined) this.#whole = readWhole(certificate);
    return this.#whole;
  }
}
