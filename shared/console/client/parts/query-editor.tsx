import { useId, useRef, useState } from 'preact/hooks';
import { addressOfPaths, readPaths } from '../data/fact-choices.ts';
import { type Completion, complete, type PqlEntities, type Suggestion } from '../data/query/pql-completion.ts';
import { useAnswer } from '../data/use-answer.ts';
import { useDelayed } from './use-delayed.ts';

interface QueryEditorProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Called with Ctrl and Enter. */
  readonly onRun: () => void;
  readonly entities: PqlEntities;
  readonly isInvalid: boolean;
  /** The element with the fault; null without one. */
  readonly faultId: string | null;
}

const PAUSE_MS = 200;

/**
 * A text area for a query, with a list of what can stand at the caret. Arrows choose, Enter takes
 * the chosen one, Escape closes the list; Ctrl and Space open it, Ctrl and Enter run the query.
 */
export function QueryEditor({ value, onChange, onRun, entities, isInvalid, faultId }: QueryEditorProps) {
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const [caret, setCaret] = useState(value.length);
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState<number | null>(null);
  const completion = complete(value, caret, entities);
  const suggestions = useSuggestions(completion, isOpen);
  const isShown = isOpen && suggestions.length > 0;
  const isTyped = completion.from < caret;
  const active = isShown ? (chosen ?? (isTyped ? 0 : null)) : null;

  const follow = () => setCaret(area.current?.selectionStart ?? 0);
  const show = () => {
    follow();
    setChosen(null);
    setOpen(true);
  };
  const take = ({ text }: Suggestion) => {
    const element = area.current;
    if (element === null) return;
    element.setRangeText(text, completion.from, caret, 'end');
    element.focus();
    onChange(element.value);
    setCaret(element.selectionStart);
    setChosen(null);
    // The next part of a path follows at once.
    setOpen(text.endsWith('.'));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const command = commandOf(event, isShown, active);
    if (command === null) return;
    event.preventDefault();
    if (command === 'run') {
      setOpen(false);
      onRun();
    } else if (command === 'open') show();
    else if (command === 'close') setOpen(false);
    else if (command === 'take') take(suggestions[active ?? 0] ?? NONE);
    else setChosen(move(active, command === 'next' ? 1 : -1, suggestions.length));
  };
  return (
    <div class="query-editor">
      <label for={id}>Query</label>
      <textarea
        ref={area}
        id={id}
        class="input mono"
        rows={6}
        value={value}
        spellcheck={false}
        autocapitalize="none"
        autocomplete="off"
        placeholder={'inventory[certname, facts.os.name] {\n  facts.kernel = "Linux"\n}'}
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls={`${id}-list`}
        aria-activedescendant={active === null ? undefined : `${id}-${active}`}
        aria-describedby={[`${id}-keys`, faultId ?? ''].join(' ').trim()}
        aria-invalid={isInvalid}
        onInput={(event) => {
          onChange(event.currentTarget.value);
          show();
        }}
        onKeyDown={onKeyDown}
        onKeyUp={follow}
        onClick={follow}
        onBlur={() => setOpen(false)}
      />
      <div id={`${id}-list`} class="suggestions" role="listbox" aria-label="What can stand here" hidden={!isShown}>
        {isShown &&
          suggestions.map((one, index) => (
            <SuggestionLine
              key={one.text}
              id={`${id}-${index}`}
              suggestion={one}
              isActive={index === active}
              onTake={() => take(one)}
            />
          ))}
      </div>
      <p id={`${id}-keys`} class="field-hint">
        <kbd>Ctrl</kbd> <kbd>Space</kbd> shows what can stand here, <kbd>Ctrl</kbd> <kbd>Enter</kbd> runs the query.
      </p>
      <span class="visually-hidden" role="status">
        {isShown && `${suggestions.length} suggestions`}
      </span>
    </div>
  );
}

const NONE: Suggestion = { text: '', note: '' };

interface SuggestionLineProps {
  readonly id: string;
  readonly suggestion: Suggestion;
  readonly isActive: boolean;
  readonly onTake: () => void;
}

function SuggestionLine({ id, suggestion: { text, note }, isActive, onTake }: SuggestionLineProps) {
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the text area keeps the focus
    // biome-ignore lint/a11y/useKeyWithClickEvents: the text area handles the keys
    <div
      ref={(element) => {
        if (isActive) element?.scrollIntoView({ block: 'nearest' });
      }}
      id={id}
      role="option"
      aria-selected={isActive}
      class="suggestion"
      // The text area keeps the focus.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onTake}
    >
      <span class="mono">{text}</span>
      <span class="suggestion-note">{note}</span>
    </div>
  );
}

/** The texts that can stand at the caret, with the names of facts that the inventory knows. */
function useSuggestions({ suggestions, factPath, prefix }: Completion, isOpen: boolean): readonly Suggestion[] {
  const wanted = useDelayed(factPath, PAUSE_MS);
  const isOfText = prefix === '';
  const address = isOpen && wanted !== null ? addressOfPaths(isOfText ? wanted.replace(/\..*/, '') : wanted) : null;
  const { data } = useAnswer<Parameters<typeof readPaths>[0]>(address);
  if (factPath === null) return suggestions;
  const paths = readPaths(data ?? []).map((path) => path.replace(/^fact\./, ''));
  return paths
    .filter((path) => path.startsWith(factPath) && path !== factPath)
    .slice(0, 50)
    .map((path) => ({ text: `${prefix}${path}`, note: 'fact' }));
}

type EditorCommand = 'run' | 'open' | 'close' | 'take' | 'next' | 'previous';

/** The command of a key; null: it does what it does in every text area. */
function commandOf(event: KeyboardEvent, isShown: boolean, active: number | null): EditorCommand | null {
  const isControl = event.ctrlKey || event.metaKey;
  if (event.key === 'Enter' && isControl) return 'run';
  if (event.key === ' ' && event.ctrlKey) return 'open';
  if (!isShown || isControl || event.shiftKey || event.altKey) return null;
  if (event.key === 'Escape') return 'close';
  if (event.key === 'Enter') return active === null ? null : 'take';
  if (event.key === 'ArrowDown') return 'next';
  return event.key === 'ArrowUp' ? 'previous' : null;
}

function move(active: number | null, step: 1 | -1, count: number): number {
  if (active === null) return step === 1 ? 0 : count - 1;
  return (active + step + count) % count;
}
