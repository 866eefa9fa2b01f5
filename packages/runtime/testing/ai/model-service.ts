/**
 * A stand-in for the services of AI models, on loopback: it speaks the messages of Anthropic, and the responses and the
 * chat completions of OpenAI, as far as the command lines of the tools need. A prompt says what is answered:
 * `[[bash COMMAND]]` asks for the shell tool once, `[[ask]]` beside it asks the person first, `[[slow SECONDS]]` waits
 * before each answer, `[[status CODE]]` fails, and `[[tool NAME JSON]]` asks for a tool as soon as it is offered.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface ModelService {
  readonly origin: string
  /** The bodies of all requests for an answer of a model. */
  readonly asked: readonly string[]
  close(): Promise<void>
}

type JsonObject = Readonly<Record<string, unknown>>
const usage = { input: 1200, cached: 800, written: 100, output: 34 }
let made = 0
/** Ids are never used twice, as tools rely on that. */
const newId = (prefix: string): string => `${prefix}_${Date.now().toString(36)}${String(++made).padStart(6, '0')}`

export async function startModelService(): Promise<ModelService> {
  const asked: string[] = []
  const server = createServer(
    (request, response) => void answer(request, response, asked).catch(() => response.destroy()),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function answer(request: IncomingMessage, response: ServerResponse, asked: string[]): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString('utf8')
  const body = bodyIn(text)
  const path = new URL(request.url ?? '/', 'http://x').pathname
  const send = (status: number, value: unknown) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
  const speak = answerers.find(([ending]) => path.endsWith(ending))?.[1]
  if (path.endsWith('/count_tokens')) return void send(200, { input_tokens: usage.input })
  if (path.endsWith('/models')) return void send(200, { object: 'list', data: [{ id: 'fake-1', object: 'model' }] })
  if (speak === undefined || request.method !== 'POST') return void send(200, {})
  asked.push(text)
  const { order, results } = ordersIn(body)
  if (order.status !== undefined) return void send(Number(order.status), failure)
  if (order.slow !== undefined) await sleep(Number(order.slow) * 1000)
  const shell = results === 0 && order.bash !== undefined ? shellCall(body, order.bash, 'ask' in order) : undefined
  const call = order.tool !== undefined && results < maxResults ? namedCall(body, order.tool) : shell
  const { whole, events } = speak(body, call)
  if (body.stream !== true) return void send(200, whole)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const event of events) {
    const name = 'type' in event ? `event: ${event.type}\n` : ''
    response.write(`${name}data: ${JSON.stringify(event)}\n\n`)
  }
  response.end(speak === chat ? 'data: [DONE]\n\n' : '')
}

const failure = { type: 'error', error: { type: 'authentication_error', message: 'the stand-in refuses this' } }

function bodyIn(text: string): JsonObject {
  try {
    return JSON.parse(text || '{}') as JsonObject
  } catch {
    return {}
  }
}

/** The orders such as `[[ask]]` in the last text that has any, and the number of results of tools since that text. */
function ordersIn(body: JsonObject): { readonly order: Readonly<Record<string, string>>; readonly results: number } {
  const all = (body.messages ?? body.input ?? []) as unknown
  const list = typeof all === 'string' ? [{ role: 'user', content: all }] : (all as JsonObject[])
  const texts: string[] = []
  let results = 0
  const walk = (value: unknown): void => {
    if (typeof value === 'string') texts.push(value)
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(walk)
  }
  let at = 0
  list.forEach((message, index) => {
    const before = texts.length
    if (message.role === 'user' || message.type === 'message') walk(message.content)
    if (texts.slice(before).some((text) => text.includes('[['))) at = index
  })
  for (const message of list.slice(at))
    results += JSON.stringify(message).match(/"type":"(?:tool_result|\w*_call_output)"|"role":"tool"/g)?.length ?? 0
  const prompt = texts.reverse().find((text) => text.includes('[[')) ?? ''
  const orders = [...prompt.matchAll(/\[\[([a-z]+) ?([^\]]*)\]\]/g)].map(([, word = '', rest = '']) => [word, rest])
  return { order: Object.fromEntries(orders), results }
}

interface ToolCall {
  readonly name: string
  /** The namespace of the tool, as Codex offers those of other programs. */
  readonly namespace?: string
  readonly input: JsonObject
}

/** A call of the offered tool that runs shell commands, with arguments as that tool names them. */
function shellCall(body: JsonObject, command: string, asks: boolean): ToolCall | undefined {
  const offered = ((body.tools ?? []) as JsonObject[]).map((tool) => (tool.function ?? tool) as JsonObject)
  const shells = ['Bash', 'bash', 'exec_command', 'shell', 'shell_command']
  const tool = offered.find(({ name }) => shells.includes(String(name)))
  if (tool === undefined) return undefined
  const { properties = {} } = (tool.input_schema ?? tool.parameters ?? {}) as { properties?: JsonObject }
  const isList = (properties.command as JsonObject | undefined)?.type === 'array'
  return {
    name: String(tool.name),
    input: {
      ...('cmd' in properties ? { cmd: command } : { command: isList ? ['bash', '-lc', command] : command }),
      ...('description' in properties && { description: 'a command of the test' }),
      ...(asks &&
        'sandbox_permissions' in properties && {
          sandbox_permissions: 'require_escalated',
          justification: 'the test asks',
        }),
    },
  }
}

/** The number of results of tools after which no tool is asked for by its name. */
const maxResults = 6

/**
 * A call of the tool whose name ends in the first word of `order`, with the JSON after that word; undefined once it was
 * called. Until the tool is offered, the shell sleeps instead: the program that offers it may still be starting.
 */
function namedCall(body: JsonObject, order: string): ToolCall | undefined {
  const [wanted = ''] = order.split(' ', 1)
  if (JSON.stringify(body).includes(calledMark)) return undefined
  const offered = ((body.tools ?? []) as JsonObject[]).flatMap((tool) =>
    tool.type === 'namespace'
      ? (tool.tools as JsonObject[]).map(({ name }) => ({ name: String(name), namespace: String(tool.name) }))
      : [{ name: String(((tool.function ?? tool) as JsonObject).name) }],
  )
  const tool = offered.find(({ name }) => name.endsWith(wanted))
  if (!tool) return shellCall(body, 'sleep 5', false)
  return { ...tool, input: JSON.parse(order.slice(wanted.length)) as JsonObject }
}

/** A text in each answer of `svc-server mcp`. */
const calledMark = 'Reported by agents, not instructions'

interface ModelReply {
  readonly whole: unknown
  readonly events: readonly JsonObject[]
}

function messages(body: JsonObject, call: ToolCall | undefined): ModelReply {
  const start = {
    input_tokens: usage.input,
    cache_read_input_tokens: usage.cached,
    cache_creation_input_tokens: usage.written,
  }
  const text = call ? 'I will look.' : 'Done.'
  const content = [
    { type: 'text', text },
    ...(call ? [{ type: 'tool_use', id: newId('toolu'), name: call.name, input: call.input }] : []),
  ]
  const stop = call ? 'tool_use' : 'end_turn'
  const head = { id: newId('msg'), type: 'message', role: 'assistant', model: body.model, stop_sequence: null }
  const whole = { ...head, content, stop_reason: stop, usage: { ...start, output_tokens: usage.output } }
  const first = { ...head, content: [], stop_reason: null, usage: { ...start, output_tokens: 1 } }
  const blocks = content.flatMap((block, index) => {
    const isText = block.type === 'text'
    const empty = isText ? { type: 'text', text: '' } : { ...block, input: {} }
    const delta = isText
      ? { type: 'text_delta', text }
      : { type: 'input_json_delta', partial_json: JSON.stringify(call?.input) }
    return [
      { type: 'content_block_start', index, content_block: empty },
      { type: 'content_block_delta', index, delta },
      { type: 'content_block_stop', index },
    ]
  })
  const end = { type: 'message_delta', delta: { stop_reason: stop }, usage: { output_tokens: usage.output } }
  return { whole, events: [{ type: 'message_start', message: first }, ...blocks, end, { type: 'message_stop' }] }
}

function responses(body: JsonObject, call: ToolCall | undefined): ModelReply {
  const text = call ? 'I will look.' : 'Done.'
  const part = { type: 'output_text', text, annotations: [] }
  const output: JsonObject[] = [
    { id: newId('msg'), type: 'message', role: 'assistant', status: 'completed', content: [part] },
  ]
  if (call)
    output.push({
      ...{ id: newId('fc'), type: 'function_call', status: 'completed', call_id: newId('call'), name: call.name },
      ...(call.namespace !== undefined && { namespace: call.namespace }),
      arguments: JSON.stringify(call.input),
    })
  const input = usage.input + usage.cached
  const counts = {
    ...{ input_tokens: input, output_tokens: usage.output, total_tokens: input + usage.output },
    ...{ input_tokens_details: { cached_tokens: usage.cached }, output_tokens_details: { reasoning_tokens: 0 } },
  }
  const head = { id: newId('resp'), object: 'response', created_at: Math.floor(Date.now() / 1000), model: body.model }
  const rest = { error: null, incomplete_details: null, parallel_tool_calls: false, tool_choice: 'auto', tools: [] }
  const whole = { ...head, ...rest, status: 'completed', output, usage: counts }
  const events = [
    { type: 'response.created', response: { ...head, ...rest, status: 'in_progress', output: [], usage: null } },
    ...output.flatMap((item, output_index) => {
      const isText = item.type === 'message'
      const empty = isText ? { ...item, status: 'in_progress', content: [] } : { ...item, arguments: '' }
      const place = { item_id: item.id, output_index, content_index: 0 }
      const deltas = isText
        ? [
            { type: 'response.content_part.added', ...place, part: { ...part, text: '' } },
            { type: 'response.output_text.delta', ...place, delta: text },
            { type: 'response.output_text.done', ...place, text },
            { type: 'response.content_part.done', ...place, part },
          ]
        : [{ type: 'response.function_call_arguments.done', ...place, arguments: item.arguments }]
      return [
        { type: 'response.output_item.added', output_index, item: empty },
        ...deltas,
        { type: 'response.output_item.done', output_index, item },
      ]
    }),
    { type: 'response.completed', response: whole },
  ]
  return { whole, events: events.map((event, sequence_number) => ({ ...event, sequence_number })) }
}

function chat(body: JsonObject, call: ToolCall | undefined): ModelReply {
  const content = call ? 'I will look.' : 'Done.'
  const head = { id: newId('chatcmpl'), created: Math.floor(Date.now() / 1000), model: body.model }
  const sent = usage.input + usage.cached
  const counts = {
    ...{ prompt_tokens: sent, completion_tokens: usage.output, total_tokens: sent + usage.output },
    prompt_tokens_details: { cached_tokens: usage.cached },
  }
  const named = { name: call?.name, arguments: JSON.stringify(call?.input) }
  const calls = call ? { tool_calls: [{ index: 0, id: newId('call'), type: 'function', function: named }] } : {}
  const finish = call ? 'tool_calls' : 'stop'
  const message = { role: 'assistant', content, ...calls }
  const choices = [{ index: 0, finish_reason: finish, message }]
  const chunk = (delta: JsonObject, finish_reason: string | null = null) => ({
    ...{ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] },
  })
  return {
    whole: { ...head, object: 'chat.completion', choices, usage: counts },
    events: [
      chunk({ role: 'assistant', content }),
      ...(call ? [chunk(calls)] : []),
      chunk({}, finish),
      { ...head, object: 'chat.completion.chunk', choices: [], usage: counts },
    ],
  }
}

/** The functions that make the answers, by the end of the path. */
const answerers = [
  ['/messages', messages],
  ['/responses', responses],
  ['/chat/completions', chat],
] as const
