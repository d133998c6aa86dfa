import { useEffect, useRef, useState } from 'preact/hooks';
import { type FoundKind, KIND_TITLES, linkOf } from '../data/search-links.ts';
import { useAnswer } from '../data/use-answer.ts';
import { Link } from '../routing/link.tsx';
import { navigate } from '../routing/location.ts';
import { ErrorState } from './answer-view.tsx';
import { Dialog } from './dialog.tsx';
import { TextField } from './fields.tsx';
import { useDelayed } from './use-delayed.ts';

/** Pause after the last key before the server is asked. */
const PAUSE_MS = 200;
const LEAST = 2;

/** A button that opens the search; so does `/` where no text is typed. */
export function GlobalSearch() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
      if (event.key !== '/' || !isPlain || isTyping(event.target) || document.querySelector('dialog[open]')) return;
      event.preventDefault();
      setOpen(true);
    };
    document.addEventListener('keydown', open);
    return () => document.removeEventListener('keydown', open);
  }, []);
  return (
    <>
      <button
        type="button"
        class="button search-button"
        aria-label="Search"
        aria-keyshortcuts="/"
        onClick={() => setOpen(true)}
      >
        <svg width="16" height="16" viewBox="0 0 16 16" fill="none" stroke="currentColor" aria-hidden="true">
          <circle cx="7" cy="7" r="4.5" stroke-width="1.5" />
          <path d="M10.5 10.5 14 14" stroke-width="1.5" />
        </svg>
        <span class="search-word">Search</span> <kbd>/</kbd>
      </button>
      {isOpen && <SearchDialog onClose={() => setOpen(false)} />}
    </>
  );
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null;
}

function SearchDialog({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState('');
  const wanted = useDelayed(text.trim(), PAUSE_MS);
  const isAsked = wanted.length >= LEAST;
  const answer = useAnswer(isAsked ? `/understudy/v1/search?text=${encodeURIComponent(wanted)}` : null);
  const list = useRef<HTMLFormElement>(null);
  const found = isAsked ? (answer.data?.kinds ?? []).filter(({ results }) => results.length > 0) : [];
  return (
    <Dialog
      title="Search"
      onClose={onClose}
      actions={
        <button type="button" class="button" onClick={onClose}>
          Close
        </button>
      }
    >
      <form
        ref={list}
        onSubmit={(event) => {
          event.preventDefault();
          const [first] = found;
          const [result] = first?.results ?? [];
          if (first === undefined || result === undefined) return;
          navigate(linkOf(first.kind, result));
          onClose();
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown' || event.key === 'ArrowUp') moveFocus(event, list.current);
        }}
      >
        <TextField
          label="Nodes, classes, resources, files, Hiera keys, facts, jobs, users"
          type="search"
          value={text}
          onChange={setText}
          hint="A part of the name; of a resource the whole title, or File[/etc/motd]"
        />
        <div role="status" class="search-results">
          {isAsked && answer.fault !== null && <ErrorState answer={answer} what="the results" />}
          {isAsked && answer.data !== null && found.length === 0 && <p class="muted">Nothing has this name.</p>}
          {answer.data !== null && isAsked && answer.data.failed.length > 0 && (
            <p class="notice notice-wait">
              Not searched, because it failed: {answer.data.failed.map((kind) => KIND_TITLES[kind]).join(', ')}
            </p>
          )}
          {found.map((one) => (
            <Results key={one.kind} found={one} onFollow={onClose} />
          ))}
        </div>
      </form>
    </Dialog>
  );
}

function Results({
  found: { kind, results, hasMore },
  onFollow,
}: {
  readonly found: FoundKind;
  readonly onFollow: () => void;
}) {
  return (
    <section aria-label={KIND_TITLES[kind]}>
      <h3>{KIND_TITLES[kind]}</h3>
      <ul>
        {results.map((result) => (
          <li key={`${result.name} ${result.environment}`}>
            <Link to={linkOf(kind, result)} class="search-result" onFollow={onFollow}>
              <span class="mono">{result.name}</span>
              <span class="muted">{result.detail || result.environment}</span>
            </Link>
          </li>
        ))}
      </ul>
      {hasMore && <p class="muted">There are more: type more of the name.</p>}
    </section>
  );
}

/** Arrows go from the text to the results, and among them. */
function moveFocus(event: KeyboardEvent, list: HTMLElement | null): void {
  const stops = [...(list?.querySelectorAll<HTMLElement>('input, .search-result') ?? [])];
  const at = stops.indexOf(document.activeElement as HTMLElement);
  const next = stops[at + (event.key === 'ArrowDown' ? 1 : -1)];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}
