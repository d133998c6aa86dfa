import { useCallback, useEffect, useState } from 'preact/hooks';
import { answerCache } from './data/answer-cache.ts';
import { whenSessionEnds } from './data/api-client.ts';
import { ApiFault } from './data/api-fault.ts';
import { planRetry, readSpread } from './data/back-off.ts';
import { closeStream } from './data/live-events.ts';
import { type ConsoleSession, readSession, SessionContext } from './data/session.ts';
import { LogInPage } from './pages/log-in-page.tsx';
import { Toasts } from './parts/toasts.tsx';
import { Routes } from './routes.tsx';
import { CONSOLE_BASE, navigate, usePageLocation } from './routing/location.ts';
import { Shell } from './shell.tsx';

type SessionState =
  | { readonly kind: 'reading'; readonly fault: ApiFault | null }
  | { readonly kind: 'none' }
  | { readonly kind: 'open'; readonly session: ConsoleSession };

/** The console: the log-in page without a session, else the page that the address names. */
export function App() {
  const [state, setState] = useState<SessionState>({ kind: 'reading', fault: null });
  const { path, query } = usePageLocation();
  const end = useCallback(() => {
    answerCache.clear();
    closeStream();
    setState({ kind: 'none' });
  }, []);
  useEffect(() => {
    whenSessionEnds(end);
    return readSessionUntilKnown(setState);
  }, [end]);

  const isLogIn = path === '/login';
  useEffect(() => {
    if (state.kind === 'none' && !isLogIn)
      navigate(`/login?next=${encodeURIComponent(presentPage())}`, { replace: true });
    if (state.kind === 'open' && isLogIn) navigate(readNext(query), { replace: true });
  }, [state, isLogIn, query]);

  return (
    <>
      {state.kind === 'reading' && <Starting fault={state.fault} />}
      {state.kind === 'none' && isLogIn && (
        <LogInPage
          onLogIn={(session) => setState({ kind: 'open', session })}
          next={query.get('next') ?? '/'}
          refusal={query.get('saml')}
        />
      )}
      {state.kind === 'open' && !isLogIn && (
        <SessionContext.Provider value={state.session}>
          <Shell session={state.session} onEnd={end}>
            <Routes path={path} />
          </Shell>
        </SessionContext.Provider>
      )}
      <Toasts />
    </>
  );
}

/** Shown until it is known whether there is a session. */
function Starting({ fault }: { readonly fault: ApiFault | null }) {
  return (
    <main class="starting">
      <h1 class="visually-hidden">Understudy</h1>
      <p role="status">{fault === null ? 'Opening the console' : `${fault.message} Trying again.`}</p>
    </main>
  );
}

/** Asks for the session; with a growing pause while the server does not answer. */
function readSessionUntilKnown(setState: (state: SessionState) => void): () => void {
  let [failures, timer, isOver] = [0, 0, false];
  const attempt = async (): Promise<void> => {
    try {
      const session = await readSession();
      if (!isOver) setState({ kind: 'open', session });
    } catch (error) {
      if (isOver) return;
      const fault = error instanceof ApiFault ? error : new ApiFault('broken', 'The console failed to start.');
      failures += 1;
      const pause = planRetry(fault, Math.min(failures, 6), readSpread());
      if (pause === null) return setState({ kind: 'none' });
      setState({ kind: 'reading', fault });
      timer = window.setTimeout(attempt, pause);
    }
  };
  void attempt();
  return () => {
    isOver = true;
    window.clearTimeout(timer);
  };
}

function presentPage(): string {
  const { pathname, search } = window.location;
  const page = pathname.slice(CONSOLE_BASE.length);
  return `${page === '' ? '/' : page}${search}`;
}

/** The page to return to: only ever one of the console's own. */
function readNext(query: URLSearchParams): string {
  const next = query.get('next') ?? '/';
  return /^\/(?![/\\])/.test(next) && !next.startsWith('/login') ? next : '/';
}
