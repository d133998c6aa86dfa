import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

export interface TreeItem {
  readonly key: string;
  readonly label: ComponentChildren;
  /** Whether the label is a link or a button. */
  readonly isControl?: boolean;
  /** Read when the item is opened; null for a leaf. */
  readonly children: (() => readonly TreeItem[]) | null;
}

interface TreeProps {
  readonly items: readonly TreeItem[];
  /** Whether the items of the first level start open. */
  readonly isOpen?: boolean;
}

/** Number of items of a level shown at first, and added by each click. */
const PAGE = 200;

/** Items with items below them. What is closed is not rendered. */
export function Tree({ items, isOpen = false }: TreeProps) {
  const [shown, setShown] = useState(PAGE);
  return (
    <ul class="tree">
      {items.slice(0, shown).map((item) => (
        <li key={item.key}>{item.children === null ? <Leaf item={item} /> : <Branch item={item} isOpen={isOpen} />}</li>
      ))}
      {items.length > shown && (
        <li>
          <button type="button" class="button button-small" onClick={() => setShown(shown + PAGE)}>
            Show more of {items.length.toLocaleString('en')}
          </button>
        </li>
      )}
    </ul>
  );
}

function Leaf({ item }: { readonly item: TreeItem }) {
  return <div class="tree-leaf">{item.label}</div>;
}

/** An item with a toggle beside its label, which may itself be a link or a button. */
function Branch({ item, isOpen }: { readonly item: TreeItem; readonly isOpen: boolean }) {
  const [open, setOpen] = useState(isOpen);
  const toggle = () => setOpen(!open);
  return (
    <>
      {item.isControl === true ? (
        <div class="tree-row">
          <button
            type="button"
            class="tree-toggle"
            aria-expanded={open}
            aria-label={`Below ${item.key}`}
            onClick={toggle}
          />
          {item.label}
        </div>
      ) : (
        <button type="button" class="tree-row tree-toggle" aria-expanded={open} onClick={toggle}>
          {item.label}
        </button>
      )}
      {open && item.children !== null && <Tree items={item.children()} />}
    </>
  );
}

/** A value of JSON as items: objects and lists open, everything else is text. */
export function treeOfValue(name: string, value: unknown): TreeItem {
  if (typeof value !== 'object' || value === null) {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return { key: name, label: <NamedValue name={name} value={text} />, children: null };
  }
  const entries: readonly (readonly [string, unknown])[] = Array.isArray(value)
    ? value.map((one, index) => [String(index), one] as const)
    : Object.entries(value);
  const count = Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`;
  return {
    key: name,
    label: <NamedValue name={name} value={count} isCount />,
    children: () => entries.map(([key, one]) => treeOfValue(key, one)),
  };
}

function NamedValue({ name, value, isCount = false }: { name: string; value: string; isCount?: boolean }) {
  return (
    <>
      <span class="tree-name">{name}</span>
      <span class={isCount ? 'tree-count' : 'tree-value'}>{value}</span>
    </>
  );
}
