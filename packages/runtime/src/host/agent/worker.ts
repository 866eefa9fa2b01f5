/** The worker thread of `svc run`. It is the same for all agents, except that svc's own agent gets a new manifest. */
import { workerData } from 'node:worker_threads'
import { work } from '../../worker/main.ts'
import { renewOwnManifest } from './manifest.ts'

export const workHere = (): Promise<void> => work((folder) => renewOwnManifest(folder, workerData.file))
