import type { ComponentChildren } from 'preact';

interface PanelProps {
  readonly title: string;
  /** Beside the title: buttons, a count. */
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
  /** Width in columns of the grid, of 12. */
  readonly span?: 3 | 4 | 5 | 6 | 7 | 8 | 12;
}

/** A titled section of a page. */
export function Panel({ title, actions, children, span = 12 }: PanelProps) {
  return (
    <section class={`panel span-${span}`} aria-label={title}>
      <header class="panel-head">
        <h2>{title}</h2>
        {actions !== undefined && <div class="panel-actions">{actions}</div>}
      </header>
      <div class="panel-body">{children}</div>
    </section>
  );
}

interface PageHeadProps {
  readonly title: ComponentChildren;
  /** Beside the title: a button to copy it. */
  readonly beside?: ComponentChildren;
  readonly lead?: ComponentChildren;
  readonly actions?: ComponentChildren;
}

/** The head of a page: its only h1, a line below it, and what can be done. */
export function PageHead({ title, beside, lead, actions }: PageHeadProps) {
  return (
    <div class="page-head">
      <div class="page-title">
        <div class="page-name">
          <h1>{title}</h1>
          {beside}
        </div>
        {lead !== undefined && <div class="page-lead">{lead}</div>}
      </div>
      {actions !== undefined && <div class="page-actions">{actions}</div>}
    </div>
  );
}

interface FactListProps {
  readonly entries: readonly (readonly [string, ComponentChildren])[];
}

/** Names with values, in columns. */
export function FactList({ entries }: FactListProps) {
  return (
    <dl class="fact-list">
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
