import { DrivenAgent } from './driven-agent.ts';
import { testOrchestrator } from './orchestrator-suite.ts';

testOrchestrator('agents of our own', (puppet, servers) => new DrivenAgent(puppet, servers));
