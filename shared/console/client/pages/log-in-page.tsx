import { useEffect, useState } from 'preact/hooks';
import { type ConsoleSession, logIn, readProviderName } from '../data/session.ts';
import { useAction } from '../data/use-action.ts';
import { TextField } from '../parts/fields.tsx';
import { CONSOLE_BASE } from '../routing/location.ts';

interface LogInPageProps {
  readonly onLogIn: (session: ConsoleSession) => void;
  /** The page that led here: a path below the base. */
  readonly next: string;
  /** The server's word for why the identity provider's log-in was refused; null: it was not. */
  readonly refusal: string | null;
}

const REFUSALS: Readonly<Record<string, string>> = {
  expired: 'The log-in took too long, or another page of this browser began one. Try again.',
  declined: 'The identity provider did not log you in.',
  revoked: 'Your user is revoked here. An administrator can reinstate it.',
  forbidden: 'You are logged in at the provider, but none of your groups has a role that opens the console.',
  taken: 'Somebody else has your login here. Ask an administrator.',
};
const OTHER_REFUSAL = 'The answer of the identity provider does not count here. The server logs the reason.';

/** Asks for login and password, and leads to the identity provider if there is one. */
export function LogInPage({ onLogIn, next, refusal }: LogInPageProps) {
  const [login, setLogin] = useState('');
  const [password, setPassword] = useState('');
  const enter = useAction(async () => onLogIn(await logIn(login, password)));
  return (
    <main class="log-in">
      <form
        class="log-in-card"
        onSubmit={(event) => {
          event.preventDefault();
          enter.run(undefined);
        }}
      >
        <img src="/console/icon.svg" alt="" width="40" height="40" />
        <h1>Understudy</h1>
        <p class="muted">{next === '/' ? 'Log in to see the fleet.' : 'Log in to continue where you were.'}</p>
        {refusal !== null && enter.fault === null && (
          <p class="notice notice-bad" role="alert">
            {REFUSALS[refusal] ?? OTHER_REFUSAL}
          </p>
        )}
        {enter.fault !== null && (
          <p class="notice notice-bad" role="alert">
            {enter.fault.message}
          </p>
        )}
        <TextField label="Login" value={login} onChange={setLogin} autoComplete="username" isRequired />
        <TextField
          label="Password"
          type="password"
          value={password}
          onChange={setPassword}
          autoComplete="current-password"
          isRequired
        />
        <button type="submit" class="button button-primary button-wide" aria-disabled={enter.isRunning}>
          {enter.isRunning ? 'Logging in' : 'Log in'}
        </button>
        <ProviderLink next={next} />
        <p class="field-hint">
          No account yet? <code>understudy access user create LOGIN</code> makes one.
        </p>
      </form>
    </main>
  );
}

/** Leads to the identity provider, and from there to the page; nothing without a provider. */
function ProviderLink({ next }: Pick<LogInPageProps, 'next'>) {
  const [name, setName] = useState<string | null>(null);
  useEffect(() => {
    // Without an answer, there is still the password.
    readProviderName().then(setName, () => {});
  }, []);
  if (name === null) return null;
  return (
    <a class="button button-wide" href={`/saml/v1/login?return=${encodeURIComponent(`${CONSOLE_BASE}${next}`)}`}>
      Log in with {name}
    </a>
  );
}
