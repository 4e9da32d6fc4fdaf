#!/bin/sh
# The engineer of the brief run: squares the unit of its brief, commits the answer, and writes down that it was here.
# $1: the file of witnesses, one line a brief that was worked on.
brief=$(cat)
unit=$(printf '%s\n' "$brief" | sed -n 's/^UNIT \([0-9]*\)$/\1/p')
id=$(printf '%s\n' "$brief" | sed -n 's/^# Brief //p')
echo "$unit $id" >>"$1"
echo "$unit $((unit * unit))" >answer.txt
git add answer.txt && git commit --quiet --message "Unit $unit"
printf '{"status":"success","message":"%s squared is %s"}\n' "$unit" "$((unit * unit))"
