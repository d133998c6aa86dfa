import { testOrchestrator } from './orchestrator-suite.ts';
import { RunnerAgent } from './runner-agent.ts';

testOrchestrator('the runner', (puppet, servers) => new RunnerAgent(puppet, servers));
