import './styles/tokens.css';
import './styles/layout.css';
import './styles/parts.css';
import './styles/pages.css';
import './styles/insight.css';
import './styles/query.css';
import './styles/print.css';
import { render } from 'preact';
import { App } from './app.tsx';
import { keepScrollPlace } from './routing/scroll-place.ts';
import { restoreTheme } from './theme.ts';

const place = document.getElementById('app');
restoreTheme();
keepScrollPlace();
if (place !== null) render(<App />, place);
