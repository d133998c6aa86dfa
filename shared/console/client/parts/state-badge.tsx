/** Appearance of a state. The mark distinguishes states without colour. */
interface BadgeLook {
  readonly tone: 'good' | 'wait' | 'bad' | 'odd' | 'mute' | 'info';
  readonly mark: string;
  readonly meaning: string;
}

const LOOKS: Readonly<Record<string, BadgeLook>> = {
  current: { tone: 'good', mark: '●', meaning: 'The catalog is that of the present inputs' },
  stale: { tone: 'wait', mark: '◐', meaning: 'An input changed; a compile is due' },
  failing: {
    tone: 'bad',
    mark: '▲',
    meaning: 'The last compile or the last run failed; the last good catalog is served',
  },
  volatile: { tone: 'odd', mark: '◆', meaning: 'The catalog depends on something that changes without a trace' },
  silent: { tone: 'mute', mark: '○', meaning: 'The node has not asked for long' },
  'failing compile': { tone: 'bad', mark: '▲', meaning: 'The code does not compile; the last good catalog is served' },
  'failing run': { tone: 'bad', mark: '▲', meaning: 'The code compiles, and the last run failed' },
  closed: { tone: 'good', mark: '●', meaning: 'No node fails in this way any more' },
  failed: { tone: 'bad', mark: '▲', meaning: 'Something failed' },
  errored: { tone: 'bad', mark: '▲', meaning: 'It could not be run' },
  changed: { tone: 'info', mark: '●', meaning: 'The run changed something' },
  unchanged: { tone: 'good', mark: '●', meaning: 'The run changed nothing' },
  finished: { tone: 'good', mark: '●', meaning: 'It ended well' },
  'in force': { tone: 'good', mark: '●', meaning: 'Its code is that of the environment' },
  replaced: { tone: 'mute', mark: '○', meaning: 'A later deploy replaced it' },
  complete: { tone: 'good', mark: '●', meaning: 'It ended well' },
  running: { tone: 'info', mark: '◐', meaning: 'It runs' },
  new: { tone: 'mute', mark: '○', meaning: 'It has not started' },
  ready: { tone: 'mute', mark: '○', meaning: 'It starts soon' },
  stopping: { tone: 'wait', mark: '◐', meaning: 'Nodes that run may finish' },
  stopped: { tone: 'wait', mark: '■', meaning: 'It was stopped' },
  skipped: { tone: 'mute', mark: '○', meaning: 'It was not run' },
  success: { tone: 'good', mark: '●', meaning: 'It changed as wanted' },
  failure: { tone: 'bad', mark: '▲', meaning: 'It could not be changed' },
  noop: { tone: 'odd', mark: '◆', meaning: 'It would have changed' },
  refused: { tone: 'wait', mark: '■', meaning: 'The server gave the run no catalog' },
  signed: { tone: 'good', mark: '●', meaning: 'The certificate is valid' },
  requested: { tone: 'wait', mark: '◐', meaning: 'The request waits for a signature' },
  revoked: { tone: 'bad', mark: '■', meaning: 'It no longer counts' },
  compiled: { tone: 'info', mark: '●', meaning: 'A catalog was compiled' },
  verified: { tone: 'good', mark: '●', meaning: 'The inputs were found unchanged' },
  active: { tone: 'good', mark: '●', meaning: 'The user can log in' },
  good: { tone: 'good', mark: '●', meaning: 'It ran with the staged code, and is no worse' },
  worse: { tone: 'bad', mark: '▲', meaning: 'It is worse than before the staged code' },
  waiting: { tone: 'wait', mark: '◐', meaning: 'It has not run with the staged code' },
  uncounted: { tone: 'mute', mark: '○', meaning: 'It does not count' },
  trial: { tone: 'info', mark: '◐', meaning: 'Canaries try the code' },
  held: { tone: 'wait', mark: '■', meaning: 'It waits for somebody' },
  ending: { tone: 'mute', mark: '◐', meaning: 'It is being taken back' },
  alive: { tone: 'good', mark: '●', meaning: 'The server was seen within 20 seconds' },
  dead: { tone: 'bad', mark: '▲', meaning: 'The server was not seen for 20 seconds; others do its work' },
  added: { tone: 'good', mark: '+', meaning: 'New' },
  removed: { tone: 'bad', mark: '−', meaning: 'Gone' },
};
const UNKNOWN: BadgeLook = { tone: 'mute', mark: '○', meaning: '' };

/** A state as a word with a mark; what it means shows on hover. */
export function StateBadge({ state }: { readonly state: string | null | undefined }) {
  const word = state ?? 'unknown';
  const { tone, mark, meaning } = LOOKS[word] ?? UNKNOWN;
  return (
    <span class={`badge badge-${tone}`} title={meaning}>
      <span class="badge-mark" aria-hidden="true">
        {mark}
      </span>
      {word}
    </span>
  );
}

/** The explanation of a state; empty for an unknown one. */
export function explainState(state: string): string {
  return LOOKS[state]?.meaning ?? '';
}
