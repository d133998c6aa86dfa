import { describeFailures } from './message-groups.ts';
import type { CatalogPreview } from './preview-catalogs.ts';

/** Code was not put in force because nodes would fail with it; the message says which. */
export class DeployRefused extends Error {
  readonly preview: CatalogPreview;

  constructor(preview: CatalogPreview, reasons: readonly string[]) {
    const shown = reasons.slice(0, MOST_REASONS);
    const more = reasons.length - shown.length;
    const lines = [...shown, ...(more > 0 ? [`${more} more`] : [])].map((reason) => `\n  ${reason}`);
    super(`environment ${preview.environment} was not deployed:${lines.join('')}`);
    this.name = 'DeployRefused';
    this.preview = preview;
  }
}

const MOST_REASONS = 20;

/** The reasons against a deploy: invalid files, and nodes that compile now and would not. */
function listObjections({ faults, failures }: CatalogPreview): readonly string[] {
  return [
    ...faults.map(({ path, line, message }) => `${path}${line === null ? '' : `:${line}`}: ${message}`),
    ...describeFailures(
      failures.filter(({ isNew }) => isNew),
      'would fail',
    ),
  ];
}

/**
 * Throws DeployRefused when the preview has objections. A node that could not be compiled in time
 * is none: it decides nothing about the code.
 */
export function demandNoObjection(preview: CatalogPreview): void {
  const reasons = listObjections(preview);
  if (reasons.length > 0) throw new DeployRefused(preview, reasons);
}
