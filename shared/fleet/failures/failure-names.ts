import type { CodeLine, FailureGroup } from './failure-group.ts';

/** A line that names a group: `File[/etc/motd]: No space left on device`. */
export function nameFailure({ resource, message }: Pick<FailureGroup, 'resource' | 'message'>): string {
  return resource === null ? message : `${resource}: ${message}`;
}

/** `modules/ntp/manifests/init.pp:12`. */
export function printCodeLine({ file, line }: CodeLine): string {
  return line === null ? file : `${file}:${line}`;
}
