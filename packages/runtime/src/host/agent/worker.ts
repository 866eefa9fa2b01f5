/** The worker thread of `svc run`. In the folder of the host agent it also renews the manifest. */
import { workerData } from 'node:worker_threads'
import { runWorker } from '../../worker/main.ts'
import { renewOwnManifest } from './manifest.ts'

export const runHostWorker = (): Promise<void> => runWorker((folder) => renewOwnManifest(folder, workerData.file))
