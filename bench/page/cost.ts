/**
 * Simulates an open page Cost whose person chooses another split every five seconds. The service keeps an answer for a
 * minute, so each question has another first day, before the first costs. The most expensive runs are always the same
 * question, so most answers to it are kept ones, as for a real page.
 */
import { history } from '@svc/api'
import { type Service, workspace } from '../common/service.ts'
import { median } from '../common/times.ts'

const everyMs = 5_000
const stepMs = 500
const dayMs = 86_400_000

export interface OpenCostPage {
  /** Closes the page. Returns how many answers it got, and the median and the slowest in milliseconds. */
  close(): Promise<{ answers: number; median: number; slowest: number }>
}

export function openCostPage({ url }: Pick<Service, 'url'>, cookie: string): OpenCostPage {
  const times: number[] = []
  let isOpen = true
  const splits = [undefined, ...history.costSplits]
  const ask = async (n: number) => {
    const per = splits[n % splits.length]
    const from = new Date(Date.now() - (60 + n) * dayMs).toISOString().slice(0, 10)
    const asked = new URLSearchParams({ by: n % 8 < 4 ? 'day' : 'week', from, ...(per && { per }) })
    const began = performance.now()
    for (const path of [`cost?${asked}`, 'cost/runs']) {
      const answer = await fetch(`${url}/api/web/w/${workspace}/${path}`, { headers: { cookie } })
      const said = await answer.text()
      if (!answer.ok) throw new Error(`The costs were answered ${answer.status}: ${said}`)
    }
    times.push(performance.now() - began)
  }
  const asking = (async () => {
    for (let n = 0; isOpen; n++) {
      await ask(n)
      for (let waited = 0; isOpen && waited < everyMs; waited += stepMs)
        await new Promise((resolve) => setTimeout(resolve, stepMs))
    }
  })()
  return {
    async close() {
      isOpen = false
      await asking
      return { answers: times.length, median: median(times), slowest: Math.max(...times) }
    },
  }
}
