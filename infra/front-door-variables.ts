import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { FILE_VALUE, FRONT_DOOR_VARIABLES as NAMES } from '../shared/config/front-doors.ts';
import { settingVariables, variableOf } from '../shared/config/read-setting.ts';
import type { OperatorContext } from './context/operator-context.ts';
import { createTemporaryFolder } from './temporary-folder.ts';

/** The operator's settings as a front door gets them, both behind API Gateway and on the edge. */
export interface FrontDoorVariables {
  readonly variables: Readonly<Record<string, string>>;
  /** Variables of the edge alone, which asks the existing Puppet Server for catalogs. */
  readonly ofEdge: Readonly<Record<string, string>>;
  /** Files that go into the bundle or the image, by their name there. */
  readonly files: Readonly<Record<string, string>>;
  /** Secrets in Secrets Manager, by the variable that gets their value. */
  readonly secrets: Readonly<Record<string, string>>;
}

/**
 * Long texts become files beside the code, because the variables of a function hold 4 KB. `others`
 * are variables that do not come from these settings.
 */
export function frontDoorVariables(
  context: OperatorContext,
  others: Readonly<Record<string, string>> = {},
): FrontDoorVariables {
  const { authorityName, autosign, upstream, compilerUpstream } = context;
  const files = new Map<string, string>();
  const placeFile = (variable: string, path: string | undefined) => {
    if (path === undefined) return {};
    const name = `${variable.toLowerCase()}-${basename(path)}`;
    files.set(name, path);
    return { [variable]: FILE_VALUE + name };
  };
  const variables = {
    ...others,
    ...(authorityName === undefined ? {} : { [NAMES.authorityName]: authorityName }),
    ...(typeof autosign === 'boolean'
      ? { [NAMES.autosign]: String(autosign) }
      : placeFile(NAMES.autosign, writeAutosign(autosign))),
    ...settingVariables(context, [
      'allowSubjectAltNames',
      'allowAuthorizationExtensions',
      'allowWeakKeys',
      'renewalHours',
      'maxPendingRequests',
      'language',
      'keepReports',
    ]),
    ...placeFile(variableOf('authConf'), context.authConf),
    ...placeFile(variableOf('trustedOidMapping'), context.trustedOidMapping),
    ...(upstream ? { [NAMES.upstream]: upstream.url } : {}),
    ...placeFile(NAMES.certificate, upstream?.certificate),
    ...placeFile(NAMES.trusted, upstream?.trusted),
  };
  const ofEdge = {
    ...(compilerUpstream ? { [NAMES.compilerUpstream]: compilerUpstream.url } : {}),
    ...placeFile(NAMES.compilerUpstreamTrusted, compilerUpstream?.trusted),
  };
  return {
    variables,
    ofEdge,
    files: Object.fromEntries(files),
    secrets: upstream ? { [NAMES.certificateKey]: upstream.keySecret } : {},
  };
}

/** Writes an autosign.conf; returns its path. */
function writeAutosign(lines: readonly string[]): string {
  const path = join(createTemporaryFolder('understudy-autosign-'), 'autosign.conf');
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}
