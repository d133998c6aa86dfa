/** Texts that Puppet raises about environment.conf and fileserver.conf. */
import { defineIssues, fault } from './issue.ts';

export const ENVIRONMENT_ISSUES = defineIssues({
  UNMATCHED_SETTING_LINE: fault(({ line }: { line: string }) => `Could not match line ${line}`),
  INVALID_TIME_TO_LIVE: fault(
    ({ value }: { value: string }) => `Invalid 'time to live' format '"${value}"' for parameter: environment_timeout`,
  ),
  SETTING_VALUE_NOT_FOUND: fault(
    ({ name, expression }: { name: string; expression: string }) =>
      `Error converting value for param '${name}': Could not find value for ${expression}`,
  ),
  ENVIRONMENT_NOT_INTERPOLATED: fault(
    ({ name, value }: { name: string; value: string }) =>
      `You cannot interpolate $environment within '${name}' when using directory environments. Its value will remain ${value}.`,
  ),
  UNPARSABLE_FILE_OPTIONS: fault(({ value }: { value: string }) => `Could not parse '${value}'`),
  INVALID_FILE_OPTION: fault(({ name }: { name: string }) => `Invalid file option '${name}'`),
  INVALID_FILE_MODE: fault(() => 'File modes must be numbers'),
  MOUNT_ALREADY_MOUNTED: fault(({ name }: { name: string }) => `mount[${name}] is already mounted at ${name}`),
  INVALID_MOUNT_ENTRY: fault(({ line }: { line: string }) => `Invalid entry: '${line}'`),
  INVALID_MOUNT_ARGUMENT: fault(({ name }: { name: string }) => `Invalid argument '${name}'`),
  MOUNT_WITHOUT_PATH: fault(({ name }: { name: string }) => `Mounts without paths are not usable: '${name}'`),
  FILESERVER_SEPARATOR_MISSING: fault(() => "Fileserver configuration file does not use '=' as a separator"),
});
