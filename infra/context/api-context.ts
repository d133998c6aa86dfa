import type { Node } from 'constructs';
import { SettingsReader } from './settings-reader.ts';

/**
 * The settings in `cdk.json` (or `-c`), under `understudy:api`; README.md of this folder describes
 * each.
 */
export interface ApiContext {
  /** Certificate requests of agents; absent: the API takes none. */
  readonly certificateRequests?: CertificateRequestsContext;
  /** The domain on which agents are served; absent: the API serves none. */
  readonly agents?: AgentsContext;
  /** Whether callers with IAM permissions may deploy code through the API. */
  readonly deploys: boolean;
}

export interface CertificateRequestsContext {
  /** Requests a second, and at once. */
  readonly rate: number;
  readonly burst: number;
  readonly mostPending: number;
  /**
   * The secret in Secrets Manager with the challenge password; absent: no request is signed
   * automatically.
   */
  readonly challengeSecret?: string;
}

export interface AgentsContext {
  readonly domain: string;
  /** The ARN of the domain's certificate in Certificate Manager. */
  readonly certificate: string;
  /** Absolute path of a PEM file: the certificates of the CA that signs agents. */
  readonly trustStore: string;
}

const KEY = 'understudy:api';
const CERTIFICATE = /^arn:aws[\w-]*:acm:/;

/** Reads and checks the context. Throws an Error that names what is wrong. */
export function apiContext(node: Node): ApiContext {
  return new SettingsReader(KEY, node.tryGetContext(KEY)).readAll((reader) => ({
    ...reader.readOptionalMap('certificateRequests', readCertificateRequests),
    ...reader.readOptionalMap('agents', readAgents),
    deploys: reader.readFlag('deploys'),
  }));
}

function readCertificateRequests(reader: SettingsReader): CertificateRequestsContext {
  return {
    rate: reader.readNumber('rate', 1, 1000, 2),
    burst: reader.readNumber('burst', 1, 5000, 10),
    mostPending: reader.readNumber('mostPending', 1, 1000, 200),
    ...reader.readOptional('challengeSecret', (one, key) => one.readText(key)),
  };
}

function readAgents(reader: SettingsReader): AgentsContext {
  return {
    domain: reader.readText('domain'),
    certificate: reader.readForm('certificate', CERTIFICATE, 'the ARN of a certificate in Certificate Manager'),
    trustStore: reader.readFile('trustStore'),
  };
}
