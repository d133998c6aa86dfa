import { InvalidAuthorization } from '../../access/authorization/place.ts';
import { CertificateRequestRejected } from '../../access/ca/certificate-request.ts';
import { UnusableKey } from '../../access/ca/keys.ts';
import { RevocationListRefused } from '../../access/ca/upper-lists.ts';
import { CodeIsStaged } from '../../fleet/code/deploy.ts';
import { NoSuchEnvironment } from '../../fleet/code/scan-environment.ts';
import { CodeIsHeld } from '../../fleet/code/taken-back.ts';
import { DeployRefused } from '../../fleet/previews/deploy-verdict.ts';
import { NoSuchCode } from '../../fleet/snapshots/no-such-code.ts';
import { InvalidSource } from '../../fleet/sources/git-url.ts';
import { GitFailed } from '../../fleet/sources/run-git.ts';
import { NoSuchStage } from '../../fleet/stages/finish-stage.ts';
import { InvalidStage } from '../../fleet/stages/stage-plan.ts';
import { StoreRefused, StoreUnavailable } from '../../store/ports/store-errors.ts';
import { ClientError } from '../client/client-error.ts';
import { DamageFound } from './backup/verify-command.ts';
import { NoCertificate } from './certificate-commands.ts';
import { NoSuchNode } from './node/node-commands.ts';
import { NoSuchReport } from './reports/report-commands.ts';

/** Errors of commands that a user can fix: they print their message, without a stack. */
export const EXPECTED_ERRORS = [
  ClientError,
  CertificateRequestRejected,
  CodeIsHeld,
  CodeIsStaged,
  DamageFound,
  DeployRefused,
  GitFailed,
  InvalidSource,
  InvalidStage,
  UnusableKey,
  InvalidAuthorization,
  NoCertificate,
  NoSuchCode,
  NoSuchEnvironment,
  NoSuchNode,
  NoSuchReport,
  NoSuchStage,
  RevocationListRefused,
  StoreRefused,
  StoreUnavailable,
];
