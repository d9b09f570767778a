import { Problem } from '../../src/platform/errors.ts';
import type { Api } from './api.ts';
import { ApiError, callTool } from './call-tool.ts';
import { checkArguments, type RawArguments } from './check-arguments.ts';
import { completeName, findDocument, listDocuments, listTemplates, readDocument } from './documents.ts';
import { type FollowedRow, type FollowOptions, followable, followRows } from './follow-rows.ts';
import { fillPrompt, listPrompts } from './prompts.ts';
import type { Rights } from './rights.ts';
import { type Tool, toolsFor } from './tools.ts';

export interface ToolResult {
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: true;
  [member: string]: unknown;
}

interface Options {
  readonly rights: readonly Rights[];
  /** Records a call before it runs. */
  recordCall(name: string, callArguments: RawArguments): Promise<void>;
  api(): Promise<Api>;
}

/** The tools of one caller at `/mcp`, for one request. */
export interface Toolbox {
  list(): Tool[];
  /** Undefined if the caller has no such tool. */
  call(name: string, callArguments: RawArguments): Promise<ToolResult> | undefined;
  documents(): ReturnType<typeof listDocuments>;
  templates(): ReturnType<typeof listTemplates>;
  /** Undefined if there is nothing at this address for the caller. */
  read(uri: string): Promise<string> | undefined;
  prompts(): ReturnType<typeof listPrompts>;
  prompt(name: string, promptArguments: Readonly<Record<string, string>>): ReturnType<typeof fillPrompt>;
  /** The rows of these addresses that can be followed. */
  followable(uris: readonly string[]): FollowedRow[];
  follow(rows: readonly FollowedRow[], options: FollowOptions): Promise<void>;
  complete(argument: string, typed: string, rowsAlone: boolean): string[];
}

const advice: Record<number, string> = {
  400: 'Correct the arguments. describe lists the arguments of a resource.',
  401: 'The person has to connect this application again.',
  403: 'The person may not do this, or has not allowed you to. Do not try another way. Tell the person.',
  404: 'Look for the right id with list.',
  409: 'Check the conflict, or use another idempotency_key.',
  412: 'The row has changed in the meantime: get it again, and decide again.',
  422: 'Correct the fields that errors lists; describe shows their allowed values.',
  429: 'Wait, then continue more slowly.',
  503: 'Wait a little, and request less at once.',
};

export function openToolbox({ rights, recordCall, api }: Options): Toolbox {
  const tools = toolsFor(rights);
  async function run({ name, inputSchema }: Tool, callArguments: RawArguments): Promise<ToolResult> {
    await recordCall(name, callArguments);
    try {
      checkArguments(inputSchema, callArguments);
      const structuredContent = await callTool(name, callArguments, { rights, api: await api() });
      return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
    } catch (error) {
      return refusal(error);
    }
  }
  async function read(document: { name: string; id?: string }): Promise<string> {
    await recordCall('resources/read', { resource: document.name, id: document.id });
    return JSON.stringify(await readDocument(rights, document, api));
  }
  return {
    list: () => tools,
    call(name, callArguments) {
      const tool = tools.find((candidate) => candidate.name === name);
      return tool && run(tool, callArguments);
    },
    documents: () => listDocuments(rights),
    templates: () => listTemplates(rights),
    read(uri) {
      const document = findDocument(rights, uri);
      return document && read(document);
    },
    prompts: () => listPrompts(rights),
    prompt: (name, promptArguments) => fillPrompt(rights, name, promptArguments),
    followable: (uris) => followable(rights, uris),
    async follow(rows, options) {
      await recordCall('subscriptions/listen', { resource: rows[0]?.name });
      await followRows(await api(), rows, options);
    },
    complete: (argument, typed, rowsAlone) => (argument === 'resource' ? completeName(rights, typed, rowsAlone) : []),
  };
}

/** The error of the API, with advice for the model. */
function refusal(error: unknown): ToolResult {
  const problem =
    error instanceof ApiError
      ? error.response.body
      : error instanceof Problem
        ? { title: error.title, status: error.status, code: error.code, detail: error.message }
        : undefined;
  if (!problem) throw error;
  const text = JSON.stringify({ ...problem, advice: advice[Number(problem.status)] });
  return { content: [{ type: 'text', text }], isError: true };
}
