// Run one Python program in MicroPython's WebAssembly port, with the folder of the firmware
// and its tests as its whole file system: node run.mjs <folder> <program>
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { loadMicroPython } from "@micropython/micropython-webassembly-pyscript/micropython.mjs";

const [folder, program] = process.argv.slice(2);
const micropython = await loadMicroPython({ heapsize: 192 * 1024, linebuffer: true });

function copy(from, to) {
    micropython.FS.mkdirTree(to);
    for (const name of readdirSync(from)) {
        const source = join(from, name);
        if (statSync(source).isDirectory()) {
            if (name !== "node_modules" && name !== "__pycache__") copy(source, `${to}/${name}`);
        } else if (/\.(py|json)$/.test(name)) {
            micropython.FS.writeFile(`${to}/${name}`, readFileSync(source));
        }
    }
}

copy(folder, "/firmware");
micropython.FS.chdir("/firmware/cutcard_firmware");
try {
    micropython.runPython(program);
} catch (error) {
    console.error(error.message ?? error);
    process.exit(1);
}
