import { expect, it } from 'vitest';
import { listProductionPackages, readNotedRows, rowOf } from './production-packages.ts';

/** Licences that let anyone use, change and pass on the code, without terms for what uses it. */
const LICENCES = ['0BSD', 'Apache-2.0', 'BSD-3-Clause', 'BlueOak-1.0.0', 'ISC', 'MIT', 'MIT OR Apache-2.0'];

const packages = listProductionPackages();

it('installs the packages that docs/packages.md notes, each with its licence and install script, and no other', () => {
  const rows = [...new Set(packages.map(rowOf))];
  const noted = readNotedRows();
  expect(
    rows.filter((row) => !noted.includes(row)),
    'read these packages, then note them in docs/packages.md',
  ).toEqual([]);
  expect(
    noted.filter((row) => !rows.includes(row)),
    'these rows of docs/packages.md have no package any more',
  ).toEqual([]);
});

it('installs packages under permissive licences only', () => {
  expect(packages.filter(({ licence }) => !LICENCES.includes(licence))).toEqual([]);
});

it('runs no script of a production package when it is installed', () => {
  expect(packages.filter(({ hasInstallScript }) => hasInstallScript)).toEqual([]);
});

it('pins the content of each package by a digest, and names no registry', () => {
  expect(packages.filter(({ hasDigest, address }) => !hasDigest || address !== null)).toEqual([]);
});
