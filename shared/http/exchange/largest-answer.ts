import type { HttpContext } from '../endpoint.ts';
import { internalServerError, Refusal } from './answers.ts';

/**
 * Replaces a response that exceeds the transport's limit: by a redirect to a front door without
 * that limit, which every agent follows for GET, or by an error that gives the reason.
 */
export async function limitAnswerSize(
  context: HttpContext,
  response: Response,
  largeAnswersAt: string | null,
): Promise<Response> {
  const { largestAnswer } = context.env;
  const length = Number(response.headers.get('Content-Length') ?? 0);
  if (largestAnswer === undefined || length <= largestAnswer || context.req.method === 'HEAD') return response;
  await response.body?.cancel();
  throw tooLargeToCarry(context, length, largestAnswer, largeAnswersAt);
}

function tooLargeToCarry(context: HttpContext, length: number, largest: number, elsewhere: string | null): Refusal {
  const message = `The answer has ${length} bytes, and this front door can send ${largest} at most: let the agent use an edge`;
  if (elsewhere === null || context.req.method !== 'GET') return internalServerError(message);
  const { pathname, search } = new URL(context.req.url);
  const headers = { Location: `${elsewhere}${pathname}${search}`, 'Content-Length': '0' };
  return new Refusal(message, () => new Response(null, { status: 307, headers }));
}
