import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { subscribeToEvents, watchLiveness } from './data/live-events.ts';
import { type ConsoleSession, isPermitted, logOut } from './data/session.ts';
import { useAction } from './data/use-action.ts';
import { useAnswer } from './data/use-answer.ts';
import { AfterAnswer, useSettled } from './parts/after-answer.tsx';
import { FleetBanner } from './parts/fleet-banner.tsx';
import { GlobalSearch } from './parts/global-search.tsx';
import { printZone, useNow } from './parts/time.tsx';
import { announce } from './parts/toasts.tsx';
import { usePopover } from './parts/use-popover.ts';
import { useKeptFocus } from './routing/kept-focus.ts';
import { Link } from './routing/link.tsx';
import { usePageLocation } from './routing/location.ts';
import { applyTheme, readTheme, type Theme } from './theme.ts';

interface ShellProps {
  readonly session: ConsoleSession;
  readonly onEnd: () => void;
  readonly children: ComponentChildren;
}

interface MenuEntry {
  readonly to: string;
  readonly title: string;
  /** Permission of users who see the entry: object type and action. */
  readonly needs?: readonly [string, string];
}

const MENU: readonly (readonly [string, readonly MenuEntry[]])[] = [
  [
    'Fleet',
    [
      { to: '/', title: 'Overview' },
      { to: '/nodes', title: 'Nodes' },
      { to: '/failures', title: 'Failures', needs: ['nodes', 'view_data'] },
      { to: '/facts', title: 'Facts', needs: ['nodes', 'view_data'] },
      { to: '/query', title: 'Query', needs: ['nodes', 'view_data'] },
      { to: '/reports', title: 'Reports' },
      { to: '/why', title: 'Why' },
    ],
  ],
  [
    'Run',
    [
      { to: '/jobs', title: 'Jobs', needs: ['orchestrator', 'view'] },
      { to: '/code', title: 'Code' },
      { to: '/groups', title: 'Groups', needs: ['node_groups', 'view'] },
    ],
  ],
  [
    'Operate',
    [
      { to: '/certificates', title: 'Certificates', needs: ['cert_requests', 'accept_reject'] },
      { to: '/queue', title: 'Queue' },
      { to: '/comparison', title: 'Comparison', needs: ['nodes', 'view_data'] },
      { to: '/backup', title: 'Backup', needs: ['configuration', 'view'] },
      { to: '/access', title: 'Access' },
    ],
  ],
];

/** Time between reads of what is under way: queues and the CA have no events. */
const ACTIVITY_MS = 60_000;
/** Longest time for which it keeps back the page below it. */
const BANNER_MS = 1_000;

/** The frame of all pages: skip link, menu, who is logged in, and the page. */
export function Shell({ session, onEnd, children }: ShellProps) {
  const { path } = usePageLocation();
  const { isOpen, setOpen, button, handlers } = usePopover();
  const content = useKeptFocus();
  const activity = useAnswer('/understudy/v1/activity', { events: ['deploy', 'job'], every: ACTIVITY_MS });
  const isSettled = useSettled([activity], BANNER_MS);
  const section = path.split('/')[1] ?? '';
  // A menu that covers the page closes when the page changes.
  useEffect(() => setOpen(false), [path, setOpen]);
  return (
    <div class="shell">
      <a class="skip-link" href="#content">
        Skip to content
      </a>
      <header class="top">
        <button
          ref={button}
          type="button"
          class="icon-button menu-button"
          aria-label="Menu"
          aria-expanded={isOpen}
          aria-controls="menu"
          onClick={() => setOpen(!isOpen)}
        >
          ☰
        </button>
        <Link to="/" class="brand">
          <img src="/console/icon.svg" alt="" width="24" height="24" />
          Understudy
        </Link>
        <Liveness />
        <div class="top-right">
          <GlobalSearch />
          <ThemeSwitch />
          <UserMenu session={session} onEnd={onEnd} />
        </div>
      </header>
      <nav id="menu" class={isOpen ? 'menu is-open' : 'menu'} aria-label="Pages of the console" {...handlers}>
        {MENU.map(([title, entries]) => (
          <MenuSection key={title} title={title} entries={entries} section={section} session={session} />
        ))}
      </nav>
      {activity.data !== null && <FleetBanner activity={activity.data} />}
      <main ref={content} id="content" tabIndex={-1} class="content">
        <AfterAnswer isSettled={isSettled}>
          {children}
          <TimeZone />
        </AfterAnswer>
      </main>
    </div>
  );
}

interface MenuSectionProps {
  readonly title: string;
  readonly entries: readonly MenuEntry[];
  readonly section: string;
  readonly session: ConsoleSession;
}

function MenuSection({ title, entries, section, session }: MenuSectionProps) {
  const seen = entries.filter(({ needs }) => needs === undefined || isPermitted(session.permissions, ...needs));
  if (seen.length === 0) return null;
  return (
    <div class="menu-section">
      <div class="menu-title">{title}</div>
      <ul>
        {seen.map(({ to, title: words }) => (
          <li key={to}>
            <Link to={to} aria-current={to === `/${section}` ? 'page' : undefined}>
              {words}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Names the zone of all times of the page. */
function TimeZone() {
  return <p class="time-zone">Times are those of this browser: {printZone(useNow())}</p>;
}

/** Whether the page follows the server, or reads again from time to time. */
function Liveness() {
  const [isLive, setLive] = useState(false);
  useEffect(() => watchLiveness(setLive), []);
  // The stream stays open while there is a session.
  useEffect(() => subscribeToEvents([], () => {}), []);
  return (
    <span
      class={isLive ? 'liveness is-live' : 'liveness'}
      title={isLive ? 'The page follows events as they happen' : 'No stream of events: the page reads every 10 seconds'}
    >
      {isLive ? 'Live' : 'Polling'}
    </span>
  );
}

const THEMES: readonly (readonly [Theme, string])[] = [
  ['system', 'Auto'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

function ThemeSwitch() {
  const [theme, setTheme] = useState<Theme>(readTheme);
  const choose = (value: string) => {
    const chosen = THEMES.find(([name]) => name === value)?.[0] ?? 'system';
    setTheme(chosen);
    applyTheme(chosen);
  };
  return (
    <select
      class="input input-small"
      aria-label="Appearance"
      value={theme}
      onChange={(event) => choose(event.currentTarget.value)}
    >
      {THEMES.map(([name, words]) => (
        <option key={name} value={name}>
          {words}
        </option>
      ))}
    </select>
  );
}

function UserMenu({ session, onEnd }: { readonly session: ConsoleSession; readonly onEnd: () => void }) {
  const { user } = session;
  const leave = useAction(async () => {
    const atProvider = await logOut();
    if (atProvider === null) onEnd();
    else window.location.assign(atProvider);
  });
  useEffect(() => {
    if (leave.fault !== null) announce(`You are still logged in: ${leave.fault.message}`, 'bad');
  }, [leave.fault]);
  return (
    <div class="user">
      <span class="user-name" title={user.login}>
        {user.display_name === '' ? user.login : user.display_name}
      </span>
      <button type="button" class="button" aria-disabled={leave.isRunning} onClick={() => leave.run(undefined)}>
        Log out
      </button>
    </div>
  );
}
