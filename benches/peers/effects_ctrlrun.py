"""The work of `benches/effects.rs` in ctrlrun (PyPI, 0.12.2): protected calls with an effect key each, on one SQLite file.

    python effects_ctrlrun.py FOLDER one|threads|processes CALLERS EACH

Prints the seconds that it took, without start-up and imports. Its SQLite runs with `synchronous = NORMAL`, as it sets it.
"""

import multiprocessing
import os
import sys
import threading
import time

import ctrlrun

POLICY = """\
schema: ctrlrun.policy/v2
actions:
  refund:
    effect: "refund:{payment}"
    rules:
      - when: { amount_gte: 0, amount_lte: 50000 }
        decision: allow
      - decision: deny
"""


def control(folder):
    policy = ctrlrun.Policy.from_file(os.path.join(folder, "policy.yaml"))
    return ctrlrun.Control(policy, ctrlrun.SQLiteStateStore(os.path.join(folder, "state.db")))


def effects(folder, name, each, ready):
    done = 0

    @ctrlrun.protect("refund", effect="refund:{payment}", control=control(folder))
    def refund(payment: str, amount: int) -> dict:
        nonlocal done
        done += 1
        return {"status": "succeeded"}

    with ctrlrun.context(agent="bench"):
        ready.wait()
        for number in range(each):
            refund(payment=f"txn_{name}_{number}", amount=12550)
    assert done == each


def main():
    folder, mode, callers, each = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    with open(os.path.join(folder, "policy.yaml"), "w", encoding="utf-8") as file:
        file.write(POLICY)
    control(folder)
    if mode == "processes":
        ready, make = multiprocessing.Barrier(callers + 1), multiprocessing.Process
    else:
        ready, make = threading.Barrier(callers + 1), threading.Thread
    workers = [make(target=effects, args=(folder, str(at), each, ready)) for at in range(callers)]
    for worker in workers:
        worker.start()
    ready.wait()
    started = time.perf_counter()
    for worker in workers:
        worker.join()
    print(time.perf_counter() - started)


if __name__ == "__main__":
    main()
