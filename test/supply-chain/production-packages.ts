import { readFileSync } from 'node:fs';

/** A package that `npm ci --omit=dev` installs. */
export interface ProductionPackage {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  readonly hasInstallScript: boolean;
  /** Whether the lock file has a digest of its content. */
  readonly hasDigest: boolean;
  /** The address that it is fetched from; null when npm takes the configured registry. */
  readonly address: string | null;
}

interface LockedPackage {
  readonly version?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
  readonly integrity?: string;
  readonly resolved?: string;
}

const LOCK = new URL('../../package-lock.json', import.meta.url);
const TABLE = new URL('../../docs/packages.md', import.meta.url);
const FOLDER = 'node_modules/';

/** The production packages of package-lock.json, by name and version. */
export function listProductionPackages(): readonly ProductionPackage[] {
  const { packages }: { packages: Readonly<Record<string, LockedPackage>> } = JSON.parse(readFileSync(LOCK, 'utf8'));
  const found = Object.entries(packages).flatMap(([path, one]): readonly ProductionPackage[] => {
    if (path === '' || one.dev === true) return [];
    return [
      {
        name: path.slice(path.lastIndexOf(FOLDER) + FOLDER.length),
        version: one.version ?? '',
        licence: one.license ?? 'none',
        hasInstallScript: one.hasInstallScript === true,
        hasDigest: one.integrity !== undefined,
        address: one.resolved ?? null,
      },
    ];
  });
  return found.sort((one, other) => keyOf(one).localeCompare(keyOf(other), 'en'));
}

/** The row of a package in docs/packages.md. Versions are left to the lock file. */
export function rowOf({ name, licence, hasInstallScript }: ProductionPackage): string {
  return `| ${name} | ${licence} | ${hasInstallScript ? 'yes' : 'no'} |`;
}

/** The rows of the packages that docs/packages.md notes. */
export function readNotedRows(): readonly string[] {
  const lines = readFileSync(TABLE, 'utf8').split('\n');
  return lines.slice(lines.indexOf('|---|---|---|') + 1).filter((line) => line.startsWith('|'));
}

function keyOf({ name, version }: ProductionPackage): string {
  return `${name} ${version}`;
}
