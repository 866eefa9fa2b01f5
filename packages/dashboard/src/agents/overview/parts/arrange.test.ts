import type { AgentBinding, AgentPage } from '@svc/api'
import { expect, test } from 'vitest'
import { arrange, listedHealth, partsOfNow, worstFirst } from './arrange.ts'

const binding = (broken: boolean) => ({ product: 'tasks', broken }) as AgentBinding
const page = (report: object, bindings: AgentBinding[] = [], kept = 0, blueprint: string | null = null) =>
  ({ report, bindings, blueprint, runs: { kept, statuses: [], models: [] } }) as unknown as Pick<
    AgentPage,
    'report' | 'bindings' | 'runs' | 'blueprint'
  >
const ok = { state: { level: 'ok' } }
const gauge = { name: 'Disk', used: 0.5 }

test('health items come worst first; those without a level are last, and equal ones keep their order', () => {
  const items = (['ok', 'bad', 'info', undefined, 'warn', 'bad'] as const).map((level, i) => ({
    name: `${i}`,
    ...(level && { level }),
  }))
  expect(worstFirst(items).map(({ name }) => name)).toEqual(['1', '5', '4', '2', '0', '3'])
})

test('a health item about a binding is left out where the page shows the binding', () => {
  const health = ['Mailbox', 'Binding tasks', 'Binding wiki'].map((name) => ({ name }))
  expect(listedHealth(page({ health }, [binding(false)])).map(({ name }) => name)).toEqual(['Mailbox', 'Binding wiki'])
})

test('what an agent does comes first, and what needs attention before it', () => {
  const busy = { ...ok, active: [{}], health: [{ name: 'a', level: 'ok' }], panels: [{}] }
  expect(arrange(page(busy, [binding(false)], 0, 'sorter'))).toEqual({
    wide: ['active', 'bindings', 'health', 'panels'],
    narrow: ['versions'],
  })
  const ill = { ...busy, health: [{ name: 'a', level: 'warn' }] }
  expect(arrange(page(ill, [binding(true)])).wide).toEqual(['bindings', 'health', 'active', 'panels'])
})

test('on a phone what needs attention, what runs and the jobs are above the changes', () => {
  const now = (report: object, broken = false) => {
    const one = page(report, [binding(broken)])
    return partsOfNow(one, arrange(one))
  }
  expect(now({ ...ok, active: [{}], health: [{ name: 'a', level: 'ok' }], panels: [{}] })).toEqual(['active'])
  expect(now({ ...ok, health: [{ name: 'a', level: 'bad' }] }, true)).toEqual(['bindings', 'health'])
})

test('an agent that reports little fills both columns', () => {
  expect(arrange(page({ ...ok, gauges: [gauge, gauge] }))).toEqual({ wide: [], narrow: ['gauges'] })
  expect(arrange(page({ ...ok, gauges: [gauge], active: [], runtime: { version: '1.0.0' } }, [], 9))).toEqual({
    wide: ['costs'],
    narrow: ['gauges', 'versions'],
  })
  const { wide, narrow } = arrange(page(ok))
  expect([...wide, ...narrow]).toEqual([])
})
