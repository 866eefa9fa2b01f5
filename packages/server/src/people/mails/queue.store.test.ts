import { expect, test } from 'vitest'
import { onEveryEngine } from '../../../testing/stores.ts'
import { dueMails, type MailTopic, maxMailsRead } from './queue.ts'

onEveryEngine('mails that wait', (open) => {
  test('are read some at once: those that were tried least, and of each kind some', async () => {
    const { db, ...store } = await open()
    const row = (topic: MailTopic, due_at: number, tries = 0) => ({
      ...{ id: `${topic.kind} ${due_at}`, topic: JSON.stringify(topic) },
      ...{ created_at: 0, due_at, leased_until: 0, tries },
    })
    const many = Array.from({ length: maxMailsRead + 100 }, (_, i) =>
      row({ kind: 'invitation', invitation: `${i}` }, i, i === 0 ? 1 : 0),
    )
    await db.insertInto('account_mail').values(many).execute()
    const others = [row({ kind: 'forgot', email: 'a@example.org' }, 900), row({ kind: 'forgot', email: 'b' }, 1001)]
    await db.insertInto('account_mail').values(others).execute()
    const due = (await dueMails({ db, ...store }, 1000)).map(({ mail }) => mail.id)
    expect(due.toSorted()).toEqual(['forgot 900', ...many.slice(1, maxMailsRead + 1).map(({ id }) => id)].toSorted())
  })

  test('are read of each workspace: a thousand of one are not in front of the first of another', async () => {
    const { db, ...store } = await open()
    const row = (i: number, workspace: string) => ({
      ...{ id: `${workspace} ${i}`, topic: JSON.stringify({ kind: 'invitation', invitation: `${i}`, workspace }) },
      ...{ created_at: 0, due_at: i, leased_until: 0, tries: 0 },
    })
    const many = Array.from({ length: 1000 }, (_, i) => row(i, 'north'))
    await db
      .insertInto('account_mail')
      .values([...many, row(5000, 'south'), { ...row(1, 'torn'), topic: '{"kind":"invi' }])
      .execute()
    const due = (await dueMails({ db, ...store }, 9000)).map(({ mail }) => mail.id)
    expect(due).toContain('south 5000')
    expect(due.filter((id) => id.startsWith('north'))).toHaveLength(maxMailsRead - 2)
  })
})
